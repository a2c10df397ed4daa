//! Rules on the sections of a level of cells: BSP, boxes, names, neighbours and portals.

use super::super::container::Container;
use crate::bundle::verify::report::Faults;
use std::io;
use viewcell::format::bytes::{f32_at, f64_at};
use viewcell::format::cells::{
    CellParameters, Child, NODE_LEN, Neighbours, POINT_LEN, PlaneNode, Portals,
};
use viewcell::format::{Sizes, Tag};

pub(crate) fn neighbours(
    container: &Container,
    parameters: &CellParameters,
    faults: &mut Faults,
) -> io::Result<Vec<Vec<u32>>> {
    let cells = parameters.cells as usize;
    if container.section(Tag::CADJ).is_none() {
        return Ok(Vec::new());
    }
    let start = container.start(Tag::CADJ);
    let bytes = container.stored(Tag::CADJ)?;
    let lists = Neighbours::new(&bytes, parameters.cells);
    let offsets: Vec<u32> = (0..=parameters.cells)
        .filter_map(|cell| lists.offset(cell))
        .collect();
    let fits =
        offsets[0] == 0 && offsets.is_sorted() && offsets.last() == Some(&parameters.neighbours);
    if !fits {
        let expected = format!("offsets that rise from 0 to {}", parameters.neighbours);
        faults.add("section CADJ", start, expected, "others");
        return Ok(Vec::new());
    }
    let lists: Vec<Vec<u32>> = (0..parameters.cells)
        .map(|cell| lists.of(cell).collect())
        .collect();
    for (cell, &offset) in offsets[..cells].iter().enumerate() {
        let list_of = &lists[cell];
        let at = start + Neighbours::len_of(parameters.cells.into(), offset.into());
        let place = format!("neighbours of cell {cell}");
        if !list_of.windows(2).all(|pair| pair[0] < pair[1]) {
            faults.add(&place, at, "rising numbers", format!("{list_of:?}"));
        }
        for &other in list_of {
            let mutual = (other as usize) < cells
                && other as usize != cell
                && lists[other as usize].contains(&(cell as u32));
            if !mutual {
                let expected = format!("another cell, below {cells}, that lists it too");
                faults.add(&place, at, expected, other);
            }
        }
    }
    Ok(lists)
}

pub(crate) fn bsp(
    container: &Container,
    parameters: &CellParameters,
    faults: &mut Faults,
) -> io::Result<()> {
    let start = container.start(Tag::CBSP);
    let bytes = container.stored(Tag::CBSP)?;
    let mut parents = vec![0_u32; parameters.nodes as usize];
    for index in 0..parameters.nodes {
        let Some(node) = PlaneNode::at(&bytes, index) else {
            break;
        };
        let at = start + u64::from(index) * NODE_LEN as u64;
        let place = format!("node {index}");
        let finite = node.distance.is_finite() && node.normal.iter().all(|x| x.is_finite());
        if !finite || node.normal == [0.0; 3] {
            let found = format!("{:?} at {}", node.normal, node.distance);
            faults.add(&place, at, "a finite plane with a normal", found);
        }
        let [front, behind] = node.children;
        if front == behind {
            let found = format!("{front:?} twice");
            faults.add(&place, at + 20, "two different sides", found);
        }
        for child in node.children {
            let fits = match child {
                Child::Node(child) => child > index && child < parameters.nodes,
                Child::Cell(cell) => cell < parameters.cells,
                Child::Nothing => true,
            };
            if !fits {
                let expected = format!(
                    "a node from {} to {}, or a cell below {}",
                    index + 1,
                    parameters.nodes - 1,
                    parameters.cells
                );
                faults.add(&place, at + 20, expected, format!("{child:?}"));
            } else if let Child::Node(child) = child {
                parents[child as usize] += 1;
            }
        }
    }
    if parameters.nodes > 0 && parameters.root != Child::Node(0) {
        faults.add("root", None, "node 0", format!("{:?}", parameters.root));
    }
    for (index, &parents) in parents.iter().enumerate() {
        let expected = u32::from(index > 0);
        if faults.is_empty() && parents != expected {
            let place = format!("parents of node {index}");
            faults.add(place, start, expected, parents);
        }
    }
    Ok(())
}

pub(crate) fn boxes(container: &Container, faults: &mut Faults) -> io::Result<()> {
    let corners = container.stored(Tag::CBOX)?;
    for (cell, bytes) in corners.chunks_exact(POINT_LEN).enumerate() {
        let number = |i: usize| f32_at(bytes, 4 * i).unwrap_or(f32::NAN);
        // Not so for NaN, whatever it is compared with.
        let sound = (0..3).all(|k| {
            number(k) <= number(k + 3) && number(k).is_finite() && number(k + 3).is_finite()
        });
        if !sound {
            let at = container.start(Tag::CBOX) + (cell * POINT_LEN) as u64;
            let found = format!("{:?}", [0, 1, 2, 3, 4, 5].map(number));
            let expected = "finite numbers, the smallest first";
            faults.add(format!("box of cell {cell}"), at, expected, found);
        }
    }
    let points = container.stored(Tag::CPOS)?;
    for (cell, bytes) in points.chunks_exact(POINT_LEN).enumerate() {
        let point = [0, 1, 2].map(|i| f64_at(bytes, 8 * i).unwrap_or(f64::NAN));
        if point.iter().any(|x| !x.is_finite()) {
            let at = container.start(Tag::CPOS) + (cell * POINT_LEN) as u64;
            let place = format!("position of cell {cell}");
            faults.add(place, at, "finite numbers", format!("{point:?}"));
        }
    }
    Ok(())
}

pub(crate) fn names(
    container: &Container,
    parameters: &CellParameters,
    faults: &mut Faults,
) -> io::Result<()> {
    let Some(text) = container.cold(Tag::CNAM, &Sizes::default(), faults)? else {
        return Ok(());
    };
    let names: Result<Vec<String>, _> = serde_json::from_slice(&text);
    let found = match names {
        Ok(names) if names.len() == parameters.cells as usize => return Ok(()),
        Ok(names) => format!("{}", names.len()),
        Err(error) => error.to_string(),
    };
    let expected = format!("a JSON array of {} texts", parameters.cells);
    faults.add("section CNAM", container.start(Tag::CNAM), expected, found);
    Ok(())
}

pub(crate) fn portals(
    container: &Container,
    parameters: &CellParameters,
    touching: &[Vec<u32>],
    faults: &mut Faults,
) -> io::Result<()> {
    let Some(bytes) = container.cold(Tag::CPRT, &Sizes::default(), faults)? else {
        return Ok(());
    };
    let section = container.start(Tag::CPRT);
    let mut portals = Portals::new(&bytes);
    for portal in 0..portals.left() {
        let place = format!("portal {portal}");
        let Some(record) = portals.next() else {
            faults.add(
                place,
                section,
                "two cells and a number of corners",
                "the end",
            );
            return Ok(());
        };
        let [a, b] = record.cells;
        let touch = touching
            .get(a as usize)
            .is_some_and(|list| list.contains(&b));
        if !touch {
            let expected = format!("two cells below {} that touch", parameters.cells);
            faults.add(&place, section, expected, format!("{a} and {b}"));
        }
        let finite = |corner: &[f64; 3]| corner.iter().all(|x| x.is_finite());
        if record.count < 3 || !record.is_whole() || !record.corners().all(|corner| finite(&corner))
        {
            let expected = "three or more corners of finite numbers";
            faults.add(&place, section, expected, format!("{}", record.count));
            return Ok(());
        }
    }
    let at = portals.at();
    if at != bytes.len() {
        let expected = format!("{at} bytes");
        faults.add("section CPRT", section, expected, bytes.len());
    }
    Ok(())
}

pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

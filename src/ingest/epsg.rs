//! Units of the coordinate reference systems of the EPSG registry, by code.
//!
//! Files name a CRS by its code alone, and the code says whether a coordinate is a metre or a foot. The table in
//! `epsg.txt` is made from PROJ's copy of the EPSG Dataset (International Association of Oil & Gas Producers) by
//! `scripts/epsg-units`. It is text, searched from its beginning: a file names few codes.

const TABLE: &str = include_str!("epsg.txt");

/// Units of a coordinate reference system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CrsUnits {
    /// Metres in a unit of the horizontal coordinates, radians in one where they are longitude and latitude. None for
    /// heights alone, and for geocentric coordinates, of which none is horizontal.
    pub horizontal: Option<f64>,
    /// Metres in a unit of the heights, below zero where depths are counted. None where the CRS has no heights.
    pub vertical: Option<f64>,
    /// The horizontal coordinates are longitude and latitude.
    pub is_geographic: bool,
}

/// A unit of length or of angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// In metres or radians.
    pub size: f64,
    pub name: &'static str,
}

/// The units of a coordinate reference system by its EPSG code, compound ones included; none for an unknown code.
pub(crate) fn epsg_units(code: u32) -> Option<CrsUnits> {
    let (kind, _) = lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(_, codes)| codes.split(' ').any(|range| holds(range, code)))?;
    let mut words = kind.split(' ');
    let kind = words.next()?;
    let (horizontal, vertical) = match kind {
        "projected" => (words.next().map(|unit| size("length", unit)), words.next()),
        "geographic" => (words.next().map(|unit| size("angle", unit)), words.next()),
        "vertical" => (None, words.next()),
        _ => (None, None),
    };
    Some(CrsUnits {
        horizontal: horizontal.flatten(),
        vertical: vertical.and_then(height),
        is_geographic: kind == "geographic",
    })
}

/// A unit of length by its code.
pub(crate) fn unit_of_length(code: u16) -> Option<Unit> {
    unit("length", &code.to_string())
}

/// A unit of angle by its code.
pub(crate) fn unit_of_angle(code: u16) -> Option<Unit> {
    unit("angle", &code.to_string())
}

/// A unit of length by the registry's name for it, in letters of either case.
pub(crate) fn length_by_name(name: &str) -> Option<Unit> {
    units("length").find_map(|(_, unit)| unit.name.eq_ignore_ascii_case(name).then_some(unit))
}

fn lines() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#'))
}

/// Whether a code is `range`, or lies in it.
fn holds(range: &str, code: u32) -> bool {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    first.parse().is_ok_and(|first: u32| first <= code)
        && last.parse().is_ok_and(|last: u32| code <= last)
}

fn units(kind: &str) -> impl Iterator<Item = (&'static str, Unit)> {
    lines().filter_map(move |line| {
        let mut words = line.splitn(4, ' ');
        let (of, code) = (words.next()?, words.next()?);
        let (size, name) = (words.next()?.parse().ok()?, words.next()?);
        let size = if of == "angle" { exact(size) } else { size };
        (of == kind).then_some((code, Unit { size, name }))
    })
}

/// Parts of a degree as precise as a number can be: the dataset rounds them.
fn exact(radians: f64) -> f64 {
    let parts = [1.0_f64, 1.0 / 60.0, 1.0 / 3600.0, 0.9].map(f64::to_radians);
    let same = |part: &f64| (radians / part - 1.0).abs() < 1e-12;
    parts.into_iter().find(same).unwrap_or(radians)
}

fn unit(kind: &str, code: &str) -> Option<Unit> {
    units(kind).find_map(|(of, unit)| (of == code).then_some(unit))
}

fn size(kind: &str, code: &str) -> Option<f64> {
    unit(kind, code).map(|unit| unit.size)
}

fn height(code: &str) -> Option<f64> {
    match code.strip_prefix('-') {
        Some(depth) => size("length", depth).map(|metres| -metres),
        None => size("length", code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US_SURVEY_FOOT: f64 = 1200.0 / 3937.0;

    fn near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-12)
    }

    #[test]
    fn degrees_are_as_precise_as_numbers() {
        let degree = 1_f64.to_radians();
        assert_eq!(epsg_units(4326).unwrap().horizontal, Some(degree));
        assert_eq!(unit_of_angle(9102).unwrap().size, degree);
        assert_eq!(
            unit_of_angle(9104).unwrap().size,
            (1.0 / 3600.0_f64).to_radians()
        );
        assert_eq!(unit_of_angle(9101).unwrap().size, 1.0);
    }

    #[test]
    fn projections_in_feet_are_not_taken_as_metres() {
        for (code, metres) in [
            (6529, US_SURVEY_FOOT),
            (2227, US_SURVEY_FOOT),
            (2263, US_SURVEY_FOOT),
            (2222, 0.3048),
            (32611, 1.0),
            (28992, 1.0),
            (22300, 1000.0),
            (27291, 0.9143984146160287),
        ] {
            let units = epsg_units(code).unwrap();
            assert!(near(units.horizontal, metres), "{code}: {units:?}");
            assert!(!units.is_geographic && units.vertical.is_none(), "{code}");
        }
        let feet: f64 = lines()
            .filter(|line| {
                line.starts_with("projected 9002: ") || line.starts_with("projected 9003: ")
            })
            .flat_map(|line| line.split_once(": ").unwrap().1.split(' '))
            .map(|range| {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                last.parse::<f64>().unwrap() - first.parse::<f64>().unwrap() + 1.0
            })
            .sum();
        assert!(feet >= 933.0, "{feet}");
    }

    #[test]
    fn heights_in_feet_are_not_taken_as_metres() {
        for (code, metres) in [
            (5702, US_SURVEY_FOOT),
            (5754, 0.3048007491),
            (6130, 0.3048),
            (6131, 0.3048),
            (6132, 0.3048),
            (6360, US_SURVEY_FOOT),
            (8050, 0.3048),
            (8052, US_SURVEY_FOOT),
            (8228, 0.3048),
            (5703, 1.0),
            (5773, 1.0),
        ] {
            let units = epsg_units(code).unwrap();
            assert!(near(units.vertical, metres), "{code}: {units:?}");
            assert_eq!(units.horizontal, None, "{code}");
        }
        // Depths.
        assert!(near(epsg_units(5715).unwrap().vertical, -1.0));
        assert!(near(epsg_units(6358).unwrap().vertical, -US_SURVEY_FOOT));
    }

    #[test]
    fn compound_systems_have_both_and_other_kinds_say_what_they_are() {
        // NAD83 / Rhode Island (ftUS) + NAVD88 height (ftUS); ETRS89 / UTM zone 33N + NN2000 height.
        let island = epsg_units(8775).unwrap();
        assert!(near(island.horizontal, US_SURVEY_FOOT) && near(island.vertical, US_SURVEY_FOOT));
        let norway = epsg_units(5973).unwrap();
        assert_eq!((norway.horizontal, norway.vertical), (Some(1.0), Some(1.0)));

        let degree = 1_f64.to_radians();
        let wgs84 = epsg_units(4326).unwrap();
        assert!(near(wgs84.horizontal, degree) && wgs84.is_geographic);
        assert_eq!(wgs84.vertical, None);
        assert!(near(epsg_units(4979).unwrap().vertical, 1.0));
        // NTF (Paris) counts in grads, CIGD11 + CBVD61 height (ft) in degrees and feet.
        assert!(near(epsg_units(4807).unwrap().horizontal, 0.9 * degree));
        assert!(near(epsg_units(9502).unwrap().vertical, 0.3048));
        let geocentric = epsg_units(4978).unwrap();
        assert_eq!((geocentric.horizontal, geocentric.vertical), (None, None));
        for unknown in [0, 1, 32767, 102_100, u32::MAX] {
            assert_eq!(epsg_units(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn units_have_their_codes_and_names() {
        assert_eq!(unit_of_length(9002).unwrap().size, 0.3048);
        assert_eq!(unit_of_length(9003).unwrap().name, "US survey foot");
        assert_eq!(unit_of_length(9102), None);
        assert_eq!(unit_of_angle(9101).unwrap().size, 1.0);
        assert_eq!(length_by_name("us SURVEY foot"), unit_of_length(9003));
        assert_eq!(length_by_name("metre per second"), None);
    }

    #[test]
    fn every_unit_of_the_table_is_in_it() {
        for line in lines().filter(|line| line.contains(": ")) {
            let kind = line.split(": ").next().unwrap();
            let first = line.split(": ").nth(1).unwrap().split([' ', '-']).next();
            let units = epsg_units(first.unwrap().parse().unwrap()).unwrap();
            let expected = [units.horizontal, units.vertical].iter().flatten().count();
            assert_eq!(kind.split(' ').count() - 1, expected, "{kind}");
        }
    }
}

//! How quick the page is: `scripts/check view` runs it and keeps nothing. Asserts no times.
//!
//! Frames in three dimensions are drawn by software here: the number of triangles says more than the milliseconds.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::browser::Browser;
use crate::common::Serving;
use crate::page::over;

/// Places looked at, and how long players are dragged.
const HOVERS: u32 = 200;
const DRAG: Duration = Duration::from_secs(5);

#[test]
#[ignore = "measures; run by scripts/check view"]
fn measure() {
    let bundles = std::env::var("VIEWCELL_BUNDLES").expect("VIEWCELL_BUNDLES: paths, by spaces");
    println!(
        "\n| bundle | opens in | hover to painted, median | 95 of 100 under | of it asking and painting | frontiers a second |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for bundle in bundles.split_whitespace() {
        let mut browser = Browser::start([1280, 800]).expect("a Chromium");
        let begun = Instant::now();
        let serving = Serving::new(Path::new(bundle), None);
        browser.open(&serving.url);
        let opens = begun.elapsed();
        let size =
            browser.evaluate("(({ width, height }) => [width, height])(viewcell.panes[0].ground)");
        let [width, height] = [0, 1].map(|i| size[i].as_u64().unwrap() as u32);

        let mut seed = 1_u32;
        let mut random = |limit: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % limit
        };
        let (mut times, mut work) = (Vec::new(), Vec::new());
        for _ in 0..HOVERS {
            let at = over(&mut browser, [random(width), random(height)]);
            let before = browser.evaluate("viewcell.painted.times");
            browser.mouse("mouseMoved", at);
            browser.wait_for(&format!("viewcell.painted.times > {before}"));
            for (list, name) in [(&mut times, "took"), (&mut work, "work")] {
                let painted = browser.evaluate(&format!("viewcell.painted.{name}"));
                list.push(painted.as_f64().unwrap());
            }
        }
        times.sort_by(f64::total_cmp);
        work.sort_by(f64::total_cmp);

        browser.open(&format!("{}#layer=frontier", serving.url));
        let [x, y] = [0, 1].map(|i| {
            browser
                .evaluate(&format!("viewcell.state.b[{i}]"))
                .as_u64()
                .unwrap() as u32
        });
        let from = over(&mut browser, [x, y]);
        browser.mouse("mouseMoved", from);
        browser.mouse("mousePressed", from);
        let before = browser.evaluate("viewcell.painted.times").as_u64().unwrap();
        let begun = Instant::now();
        let mut turn = 0.0_f64;
        while begun.elapsed() < DRAG {
            turn += 0.05;
            browser.mouse(
                "mouseMoved",
                [from[0] + 60.0 * turn.sin(), from[1] + 60.0 * turn.cos()],
            );
        }
        let after = browser.evaluate("viewcell.painted.times").as_u64().unwrap();
        let rate = (after - before) as f64 / begun.elapsed().as_secs_f64();
        println!(
            "| {bundle}, {width} × {height} | {:.2} s | {:.1} ms | {:.1} ms | {:.1} ms | {rate:.0} |",
            opens.as_secs_f64(),
            times[times.len() / 2],
            times[times.len() * 95 / 100],
            work[work.len() / 2],
        );
    }
}

/// Frames of a turn all around.
const FRAMES: u32 = 24;

#[test]
#[ignore = "measures; run by scripts/check view"]
fn measure_three_dimensions() {
    let Ok(pages) = std::env::var("VIEWCELL_PAGES") else {
        println!(
            "VIEWCELL_PAGES: addresses of pages of viewcell view, by spaces; no frames are measured"
        );
        return;
    };
    println!("\n| page | opens in | how one looks | triangles | ms a frame, median | most |");
    println!("|---|---:|---|---:|---:|---:|");
    for page in pages.split_whitespace() {
        let mut browser = Browser::start([1280, 800]).expect("a Chromium");
        for how in ["orbit", "stand"] {
            let begun = Instant::now();
            browser.open(&format!("{page}#three={how}"));
            browser.wait_for("viewcell.scene && viewcell.scene.box.dataset.triangles > 0");
            let opens = begun.elapsed();
            let told = browser.evaluate(&format!(
                "(() => {{
                   const {{ scene }} = viewcell;
                   const pixel = new Uint8Array(4);
                   const [times, triangles] = [[], []];
                   for (let frame = 0; frame < {FRAMES}; frame += 1) {{
                     const begun = performance.now();
                     scene.yaw += (2 * Math.PI) / {FRAMES};
                     scene.drawNow();
                     scene.gl.readPixels(0, 0, 1, 1, scene.gl.RGBA, scene.gl.UNSIGNED_BYTE, pixel);
                     times.push(performance.now() - begun);
                     triangles.push(Number(scene.box.dataset.triangles));
                   }}
                   times.sort((a, b) => a - b);
                   return [Math.max(...triangles), times[{FRAMES} / 2], times.at(-1)];
                 }})()"
            ));
            let [triangles, median, most] = [0, 1, 2].map(|i| told[i].as_f64().unwrap());
            println!(
                "| {page} | {:.1} s | {how} | {triangles} | {median:.0} | {most:.0} |",
                opens.as_secs_f64()
            );
        }
    }
}

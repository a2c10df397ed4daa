//! The page of `viewcell simulate -o report.html`.

use viewcell_simulate::summary::Figures;
use viewcell_view::picture::{Bars, Chart, Curve, Series};

use crate::exit::Failure;
use crate::render::name;
use crate::report::{Page, Section};
use crate::table::Table;

use super::document::Document;

/// What the look-ahead comes to when it looks further: by how many milliseconds, and figures.
pub type Further = Vec<(f64, Figures)>;

/// What all schemes come to by the time there and back, in milliseconds.
pub type Latencies = Vec<(f64, Vec<(String, Figures)>)>;

/// The page.
pub fn page(
    document: &Document,
    further: &Further,
    latencies: &Latencies,
    lasted: &[(String, Vec<f64>)],
    checksum: String,
) -> Result<String, Failure> {
    let job = &document.job;
    let lead = format!(
        "{} players, {:.0} seconds at {} frames a second, {} ms round-trip time, {} % of packets \
         lost",
        document.players, document.seconds, job.hz, job.rtt, job.loss
    );
    let mut figures = vec![("players".to_owned(), document.players.to_string())];
    for scheme in document
        .schemes
        .iter()
        .filter(|s| ["look-ahead", "best", "FB"].contains(&s.name.as_str()))
    {
        let ratio = format!("{:.3}", scheme.ratio_to_perfect);
        figures.push((
            format!("{}, packets against perfect peers", scheme.name),
            ratio,
        ));
    }
    let page = Page {
        name: name(&job.bundle),
        verb: "viewcell simulate",
        lead,
        figures,
        warnings: match document.positions_nowhere {
            0 => Vec::new(),
            nowhere => vec![format!(
                "{nowhere} of {} positions are outside all places of the bundle, and count as the \
                 previous place.",
                document.positions
            )],
        },
        look: None,
        sections: vec![
            counted(document),
            told(document, further),
            by_latency(latencies),
            sets(document, lasted),
            asked(document),
        ],
        tool: concat!("viewcell ", env!("CARGO_PKG_VERSION")).to_owned(),
        checksum,
    };
    page.html()
}

/// What latency does to the schemes: a table a figure, each as narrow as a page.
fn by_latency(latencies: &Latencies) -> Section {
    let mut columns = vec!["scheme".to_owned()];
    columns.extend(latencies.iter().map(|(rtt, _)| format!("{rtt} ms")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let names = latencies.first().map_or(&[][..], |(_, schemes)| schemes);
    let rows = |told: &dyn Fn(&Figures) -> String| -> Vec<Vec<String>> {
        let row = |scheme: usize| {
            let of = latencies
                .iter()
                .map(|(_, schemes)| told(&schemes[scheme].1));
            [names[scheme].0.clone()].into_iter().chain(of).collect()
        };
        (0..names.len()).map(row).collect()
    };
    Section::new(
        "By latency",
        "Packets per frame; frames in which a visible player was not known; share of the players \
         whom a client cannot see, but whose position it knows. Otherwise as above.",
    )
    .table(
        "Packets per frame, by round-trip time",
        Table::new(
            1,
            &columns,
            rows(&|figures| format!("{:.2}", figures.packets_per_frame.mean)),
        ),
    )
    .table(
        "Late frames, by round-trip time",
        Table::new(
            1,
            &columns,
            rows(&|figures| figures.late_frames.to_string()),
        ),
    )
    .table(
        "Exposed, by round-trip time",
        Table::new(
            1,
            &columns,
            rows(&|figures| format!("{:.1} %", 100.0 * figures.exposed_share)),
        ),
    )
}

/// A figure of what there was at all.
fn if_any(any: bool, figure: String) -> String {
    if any { figure } else { "–".to_owned() }
}

/// Packets and bytes of each scheme.
fn counted(document: &Document) -> Section {
    let names: Vec<&str> = document.schemes.iter().map(|s| s.name.as_str()).collect();
    let bars = |name: &str, of: &dyn Fn(usize) -> f64| Bars {
        name: name.to_owned(),
        values: (0..names.len()).map(of).collect(),
    };
    let schemes = &document.schemes;
    let bytes = [bars("bytes", &|i| schemes[i].bytes_per_client_frame)];
    let packets = [
        bars("from clients", &|i| schemes[i].packets_up_down[0]),
        bars("from the server", &|i| schemes[i].packets_up_down[1]),
    ];
    let rows = schemes.iter().map(|scheme| {
        vec![
            scheme.name.clone(),
            format!("{:.2}", scheme.packets_per_frame),
            format!("{:.2}", scheme.packets_per_client_frame),
            format!("{:.1}", scheme.bytes_per_client_frame),
            format!("{:.1}", scheme.bytes.p95),
            format!("{:.1}", scheme.bytes.worst),
            format!("{:.3}", scheme.ratio_to_perfect),
            format!("{:.1}", scheme.cpu_us_per_tick),
        ]
    });
    Section::new(
        "What is sent",
        "Packets and bytes per frame, including headers of UDP and IP. CS, CSA, NPP, PPP and FB \
         are the schemes of Steed and Angus; PPP is impossible in practice, and is the reference \
         for the others.",
    )
    .chart(Chart::new(
        "Bytes per frame of a client",
        ["scheme", "bytes"],
        Series::Bars(&names, &bytes),
    ))
    .chart(Chart::new(
        "Packets per frame of a client",
        ["scheme", "packets"],
        Series::Bars(&names, &packets),
    ))
    .table(
        "Each scheme",
        Table::new(
            1,
            &[
                "scheme",
                "packets a frame",
                "of each client",
                "bytes of each client",
                "95 % below",
                "most",
                "ratio to perfect",
                "work, us a frame",
            ],
            rows,
        ),
    )
}

/// Who is told too late, and too much.
fn told(document: &Document, further: &Further) -> Section {
    let rows = document.schemes.iter().map(|scheme| {
        let (late, exposed) = (scheme.late_frames > 0.0, scheme.exposed_share > 0.0);
        vec![
            scheme.name.clone(),
            format!("{:.0}", scheme.late_frames),
            format!("{:.1}", scheme.late_per_minute),
            if_any(late, format!("{:.0}", scheme.late_ms_mean)),
            if_any(late, format!("{:.0}", scheme.late_ms_worst)),
            format!("{:.2}", scheme.exposed_seconds_per_minute),
            format!("{:.2}", 100.0 * scheme.exposed_share),
            if_any(exposed, format!("{:.0}", scheme.exposed_distance_mean)),
        ]
    });
    let mut section = Section::new(
        "Who is told too late, and who too much",
        "Late: a player can be seen and is not yet known to the one who sees. Exposed: a client \
         knows where somebody is whom it cannot see, as a wall-hack would show.",
    )
    .table(
        "Each scheme",
        Table::new(
            1,
            &[
                "scheme",
                "late frames",
                "times a minute",
                "ms on average",
                "ms at most",
                "exposed, s a minute",
                "% of those out of sight",
                "how far away",
            ],
            rows,
        ),
    );
    if further.len() > 1 {
        let points: Vec<[f64; 2]> = further
            .iter()
            .map(|(_, found)| [100.0 * found.exposed_share, found.late_per_minute])
            .collect();
        let curve = [Curve {
            name: "look-ahead, from none to far".to_owned(),
            points,
        }];
        section = section
            .chart(Chart::new(
                "Late against exposed, as the look-ahead grows",
                ["exposed, % of those out of sight", "late, times a minute"],
                Series::Curves(&curve),
            ))
            .table(
                "Looking further ahead",
                Table::new(
                    0,
                    &[
                        "ms ahead",
                        "late, times a minute",
                        "% exposed",
                        "exposed, s a minute",
                    ],
                    further.iter().map(|(ahead, found)| {
                        vec![
                            format!("{ahead:.0}"),
                            format!("{:.2}", found.late_per_minute),
                            format!("{:.2}", 100.0 * found.exposed_share),
                            format!("{:.2}", found.exposed_seconds_per_minute),
                        ]
                    }),
                ),
            );
    }
    section
}

/// How long frontier sets last.
fn sets(document: &Document, lasted: &[(String, Vec<f64>)]) -> Section {
    let with_sets = document
        .schemes
        .iter()
        .filter(|s| s.negotiations_per_minute > 0.0);
    let rows = with_sets.map(|scheme| {
        let ended = scheme.set_seconds.worst > 0.0;
        vec![
            scheme.name.clone(),
            format!("{:.1}", scheme.negotiations_per_minute),
            if_any(ended, format!("{:.2}", scheme.set_seconds.mean)),
            if_any(ended, format!("{:.2}", scheme.set_seconds.p95)),
            if_any(ended, format!("{:.1}", scheme.set_seconds.worst)),
            format!("{:.0}", scheme.sets_in_force),
        ]
    });
    let section = Section::new(
        "How long frontier sets last",
        "While both players of a pair stay in their regions, neither sends a packet.",
    )
    .table(
        "Frontier sets",
        Table::new(
            1,
            &[
                "scheme",
                "agreements a minute",
                "average, s",
                "95 % below, s",
                "longest, s",
                "in force at the end",
            ],
            rows,
        ),
    );
    let curves: Vec<Curve> = lasted
        .iter()
        .filter(|(_, lasted)| !lasted.is_empty())
        .map(|(name, lasted)| Curve {
            name: name.clone(),
            points: survival(lasted),
        })
        .collect();
    if curves.is_empty() {
        return section;
    }
    section.chart(Chart::new(
        "Frontier sets that still hold after some time",
        ["seconds", "%"],
        Series::Curves(&curves),
    ))
}

/// How many of a hundred sets last longer than so many seconds: a hundred points, up to what 98 of
/// a hundred do not reach.
fn survival(lasted: &[f64]) -> Vec<[f64; 2]> {
    let mut sorted = lasted.to_vec();
    sorted.sort_by(f64::total_cmp);
    let end = sorted[(sorted.len() * 98 / 100).min(sorted.len() - 1)].max(1e-3);
    (0..=100)
        .map(|i| {
            let after = end * f64::from(i) / 100.0;
            let ended = sorted.partition_point(|seconds| *seconds <= after);
            [after, 100.0 * (1.0 - ended as f64 / sorted.len() as f64)]
        })
        .collect()
}

/// What the run was.
fn asked(document: &Document) -> Section {
    let job = &document.job;
    let facts = [
        (
            "players",
            match &job.traces {
                Some(trace) => format!("of {}", trace.display()),
                None => format!("generated, {:?}, seed {}", job.motion, job.seed),
            },
        ),
        (
            "fastest",
            format!("{:.1} a second", document.greatest_speed),
        ),
        ("relocated", format!("{} times", document.jumps)),
    ];
    Section::new("What was played", "").table("", Table::facts(facts))
}

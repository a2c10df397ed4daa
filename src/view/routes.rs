//! What may be asked.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::colours::colours;
use super::guard::guard;
use super::source::{Opened, Source};
use super::walk::Walks;
use super::{level, terrain};
use crate::runtime::cell_frontier::Construction;
use crate::runtime::{CellBundle, TerrainBundle};

/// What the server knows.
pub struct View {
    /// One bundle, or two to compare.
    pub sources: Vec<Source>,
    /// Players that walk.
    pub walks: Walks,
}

type Shared = State<Arc<View>>;
type Answered = Result<Answer, Refusal>;

/// The page: name, kind and bytes of its files.
const PAGE: [(&str, &str, &str); 14] = [
    ("/", "text/html", include_str!("page/index.html")),
    ("/style.css", "text/css", include_str!("page/style.css")),
    ("/api.js", JAVASCRIPT, include_str!("page/api.js")),
    ("/camera.js", JAVASCRIPT, include_str!("page/camera.js")),
    ("/cut.js", JAVASCRIPT, include_str!("page/cut.js")),
    ("/keep.js", JAVASCRIPT, include_str!("page/keep.js")),
    ("/layers.js", JAVASCRIPT, include_str!("page/layers.js")),
    ("/level.js", JAVASCRIPT, include_str!("page/level.js")),
    ("/link.js", JAVASCRIPT, include_str!("page/link.js")),
    ("/main.js", JAVASCRIPT, include_str!("page/main.js")),
    ("/paint.js", JAVASCRIPT, include_str!("page/paint.js")),
    ("/pane.js", JAVASCRIPT, include_str!("page/pane.js")),
    ("/terrain.js", JAVASCRIPT, include_str!("page/terrain.js")),
    ("/words.js", JAVASCRIPT, include_str!("page/words.js")),
];
const JAVASCRIPT: &str = "text/javascript";

/// All routes of a server that listens at `port`; everything else is not found.
pub fn router(view: Arc<View>, port: u16) -> Router {
    let mut router = Router::new();
    for (path, kind, text) in PAGE {
        let kind = [(header::CONTENT_TYPE, format!("{kind}; charset=utf-8"))];
        router = router.route(path, get(async move || (kind.clone(), text)));
    }
    router
        .route("/api/about", get(about))
        .route("/api/{pane}/ground", get(ground))
        .route("/api/{pane}/pvs", get(pvs))
        .route("/api/{pane}/distances", get(distances))
        .route("/api/{pane}/exposure", get(exposure))
        .route("/api/{pane}/frontier", get(frontier))
        .route("/api/{pane}/check", get(check))
        .route("/api/{pane}/walk", post(walk))
        .route("/api/{pane}/walk/{id}", post(step))
        .fallback(async || Refusal::not_found("there is nothing here").into_response())
        .with_state(view)
        .layer(from_fn_with_state(port, guard))
}

/// A bundle, ready for questions.
// Neither is large, and there is one a question.
#[allow(clippy::large_enum_variant)]
enum World<'a> {
    Terrain(TerrainBundle<'a>),
    Level(CellBundle<'a>),
}

impl Opened {
    fn world(&self) -> Result<World<'_>, Refusal> {
        let told = |error: crate::runtime::OpenError| Refusal::failed(error.to_string());
        match self.map.kind() {
            Some(crate::runtime::WorldKind::Cells) => self.map.cells().map(World::Level),
            _ => self.map.terrain().map(World::Terrain),
        }
        .map_err(told)
    }
}

/// Answers a question about a bundle where it may take its time, and says of which generation the
/// answer is.
async fn ask<F>(view: Arc<View>, pane: usize, question: F) -> Answered
where
    F: FnOnce(&View, &Arc<Opened>, World<'_>) -> Answered + Send + 'static,
{
    let answered = tokio::task::spawn_blocking(move || {
        let source = view.sources.get(pane);
        let source = source.ok_or_else(|| Refusal::not_found("there is no such bundle"))?;
        let opened = source.current();
        let answer = question(&view, &opened, opened.world()?)?;
        Ok(answer.entry("generation", opened.generation))
    });
    let failed = |_| Refusal::failed("this question could not be answered");
    answered.await.map_err(failed)?
}

/// What is viewed: asked for at the start, and now and then to learn of a new bundle.
async fn about(State(view): Shared) -> Result<Answer, Refusal> {
    let answered = tokio::task::spawn_blocking(move || {
        let about = |source: &Source| -> Result<Value, Refusal> {
            let opened = source.current();
            let bundle = opened.map.bundle().ok();
            let mut about = match opened.world()? {
                World::Terrain(terrain) => terrain::about(&terrain, bundle.and_then(|b| b.crs())),
                World::Level(level) => level::about(&level),
            };
            about["name"] = source.name().into();
            about["bytes"] = bundle.map_or(0, |bundle| bundle.bytes().len()).into();
            about["generation"] = opened.generation.into();
            about["fault"] = source.fault().into();
            Ok(about)
        };
        let panes: Result<Vec<_>, _> = view.sources.iter().map(about).collect();
        Ok(Answer::new(
            json!({ "panes": panes?, "palette": colours() }),
        ))
    });
    let failed = |_| Refusal::failed("this question could not be answered");
    answered.await.map_err(failed)?
}

/// At which height a level is cut.
#[derive(Deserialize)]
struct Cut {
    cut: Option<f64>,
}

async fn ground(
    State(view): Shared,
    Path(pane): Path<usize>,
    Query(Cut { cut }): Query<Cut>,
) -> Answered {
    if cut.is_some_and(|cut| !cut.is_finite()) {
        return Err(Refusal::bad_request("cut: expected a height"));
    }
    ask(view, pane, move |view, _, world| match world {
        World::Terrain(terrain) => Ok(terrain::ground(&terrain)),
        World::Level(level) => Ok(level::ground(&level, cut, view.sources[pane].path())),
    })
    .await
}

#[derive(Deserialize)]
struct Look {
    at: String,
    #[serde(default)]
    level: u32,
}

async fn pvs(State(view): Shared, Path(pane): Path<usize>, Query(look): Query<Look>) -> Answered {
    ask(view, pane, move |_, _, world| match world {
        World::Terrain(terrain) => terrain::pvs(&terrain, &look.at, look.level),
        World::Level(level) => level::pvs(&level, &look.at),
    })
    .await
}

async fn distances(
    State(view): Shared,
    Path(pane): Path<usize>,
    Query(look): Query<Look>,
) -> Answered {
    ask(view, pane, move |_, _, world| match world {
        World::Terrain(_) => Err(Refusal::not_found(
            "steps are between cells; this is a terrain",
        )),
        World::Level(level) => level::distances(&level, &look.at),
    })
    .await
}

async fn exposure(State(view): Shared, Path(pane): Path<usize>) -> Answered {
    ask(view, pane, |_, opened, world| match world {
        World::Terrain(terrain) => terrain::exposed(opened, terrain.grid().samples()),
        World::Level(level) => Ok(level::exposed(&level)),
    })
    .await
}

#[derive(Deserialize)]
struct Players {
    a: String,
    b: String,
    #[serde(default)]
    margin: u32,
    #[serde(default)]
    construction: String,
}

impl Players {
    fn construction(&self) -> Result<Construction, Refusal> {
        match self.construction.as_str() {
            "" => Ok(Construction::default()),
            "published" => Ok(Construction::Published),
            "tightened" => Ok(Construction::Tightened),
            "grown" => Ok(Construction::Grown),
            other => Err(Refusal::bad_request(format!(
                "construction {other:?}: expected published, tightened or grown"
            ))),
        }
    }
}

async fn frontier(
    State(view): Shared,
    Path(pane): Path<usize>,
    Query(players): Query<Players>,
) -> Answered {
    ask(view, pane, move |_, _, world| match world {
        World::Terrain(terrain) => {
            terrain::frontier(&terrain, &players.a, &players.b, players.margin)
        }
        World::Level(level) => {
            level::frontier(&level, &players.a, &players.b, players.construction()?)
        }
    })
    .await
}

async fn check(
    State(view): Shared,
    Path(pane): Path<usize>,
    Query(players): Query<Players>,
) -> Answered {
    ask(view, pane, move |_, _, world| match world {
        World::Terrain(terrain) => terrain::check(&terrain, &players.a, &players.b),
        World::Level(level) => {
            level::check(&level, &players.a, &players.b, players.construction()?)
        }
    })
    .await
}

async fn walk(
    State(view): Shared,
    Path(pane): Path<usize>,
    Query(players): Query<Players>,
) -> Answered {
    ask(view, pane, move |view, opened, _| {
        view.walks.begin(opened.clone(), [players.a, players.b])
    })
    .await
}

/// Where players go; who is not named stays.
#[derive(Deserialize)]
struct Steps {
    a: Option<String>,
    b: Option<String>,
}

async fn step(
    State(view): Shared,
    Path((pane, id)): Path<(usize, u64)>,
    Query(steps): Query<Steps>,
) -> Answered {
    ask(view, pane, move |view, _, _| {
        view.walks.step(id, [steps.a, steps.b])
    })
    .await
}

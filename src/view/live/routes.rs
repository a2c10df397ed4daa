//! Routes: which requests the page may make.

use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::colours::colours;
use super::dig::{self, Digging};
use super::http::{Request, Response};
use super::places::Players;
use super::play::{self, Players as Played};
use super::source::{Opened, Shown};
use super::unbaked::Unbaked;
use super::walk::Walks;
use super::{level, places, solid, terrain};
use viewcell::query::World;

/// What the server knows.
pub(super) struct View {
    /// One bundle, or two to compare; none before there is one.
    pub sources: Vec<Shown>,
    /// A world that can be baked.
    pub unbaked: Option<Arc<Unbaked>>,
    /// Players that walk.
    pub walks: Walks,
    /// Players whose paths are played, in the first bundle.
    pub players: Option<Arc<Played>>,
    /// Ground that can be dug in: that of the first bundle.
    pub digging: Option<Arc<Digging>>,
}

type Answered = Result<Answer, Refusal>;

impl View {
    /// The bundles that there are now.
    fn shown(&self) -> Vec<&Shown> {
        let baked = self.unbaked.as_ref().and_then(|unbaked| unbaked.baked());
        self.sources.iter().chain(baked).collect()
    }

    /// The world of a pane that is not baked yet.
    fn unbaked(&self, pane: usize) -> Option<&Arc<Unbaked>> {
        let unbaked = self
            .unbaked
            .as_ref()
            .filter(|unbaked| unbaked.baked().is_none());
        unbaked.filter(|_| pane == 0)
    }
}

/// The page: name, kind and bytes of its files.
const PAGE: [(&str, &str, &str); 27] = [
    ("/", "text/html", include_str!("page/index.html")),
    ("/style.css", "text/css", include_str!("page/style.css")),
    ("/api.js", JAVASCRIPT, include_str!("page/api.js")),
    ("/bake.js", JAVASCRIPT, include_str!("page/bake.js")),
    ("/camera.js", JAVASCRIPT, include_str!("page/camera.js")),
    ("/cut.js", JAVASCRIPT, include_str!("page/cut.js")),
    ("/dig.js", JAVASCRIPT, include_str!("page/dig.js")),
    ("/floor.js", JAVASCRIPT, include_str!("page/floor.js")),
    ("/gl.js", JAVASCRIPT, include_str!("page/gl.js")),
    ("/halves.js", JAVASCRIPT, include_str!("page/halves.js")),
    ("/keep.js", JAVASCRIPT, include_str!("page/keep.js")),
    ("/layers.js", JAVASCRIPT, include_str!("page/layers.js")),
    ("/level.js", JAVASCRIPT, include_str!("page/level.js")),
    ("/link.js", JAVASCRIPT, include_str!("page/link.js")),
    ("/main.js", JAVASCRIPT, include_str!("page/main.js")),
    ("/model.js", JAVASCRIPT, include_str!("page/model.js")),
    ("/paint.js", JAVASCRIPT, include_str!("page/paint.js")),
    ("/pane.js", JAVASCRIPT, include_str!("page/pane.js")),
    ("/places.js", JAVASCRIPT, include_str!("page/places.js")),
    ("/play.js", JAVASCRIPT, include_str!("page/play.js")),
    ("/relief.js", JAVASCRIPT, include_str!("page/relief.js")),
    ("/scene.js", JAVASCRIPT, include_str!("page/scene.js")),
    ("/solid.js", JAVASCRIPT, include_str!("page/solid.js")),
    ("/three.js", JAVASCRIPT, include_str!("page/three.js")),
    ("/ways.js", JAVASCRIPT, include_str!("page/ways.js")),
    ("/terrain.js", JAVASCRIPT, include_str!("page/terrain.js")),
    ("/words.js", JAVASCRIPT, include_str!("page/words.js")),
];
const JAVASCRIPT: &str = "text/javascript";

/// Answers a request that the guard let pass; what is not known is not found.
pub(super) fn answer(view: &View, request: &Request) -> Response {
    match find(view, request) {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

fn find(view: &View, request: &Request) -> Result<Response, Refusal> {
    if let Some((_, kind, text)) = PAGE.iter().find(|file| file.0 == request.path) {
        return by("GET", request, || {
            Ok(Response {
                status: 200,
                kind: format!("{kind}; charset=utf-8"),
                headers: Vec::new(),
                body: text.as_bytes().to_vec(),
            })
        });
    }
    let query = Query::new(&request.query)?;
    let parts: Vec<&str> = request.path.split('/').skip(1).collect();
    let get =
        |question: &dyn Fn() -> Answered| by("GET", request, || Ok(question()?.into_response()));
    let post =
        |question: &dyn Fn() -> Answered| by("POST", request, || Ok(question()?.into_response()));
    match parts[..] {
        ["api", "about"] => get(&|| about(view)),
        ["api", pane, "ground"] => get(&|| ground(view, number(pane)?, &query)),
        ["api", pane, "mesh"] => get(&|| mesh(view, number(pane)?)),
        ["api", pane, "pvs"] => get(&|| pvs(view, number(pane)?, &query)),
        ["api", pane, "distances"] => get(&|| distances(view, number(pane)?, &query)),
        ["api", pane, "exposure"] => get(&|| exposure(view, number(pane)?)),
        ["api", pane, "frontier"] => get(&|| frontier(view, number(pane)?, &query)),
        ["api", pane, "check"] => get(&|| check(view, number(pane)?, &query)),
        ["api", "0", "bake"] if request.method == "POST" => {
            post(&|| bakes(view)?.begin(query.must("quality")?))
        }
        ["api", "0", "forecast"] => get(&|| bakes(view)?.forecast(query.must("quality")?)),
        ["api", "0", "bake"] => get(&|| Ok(bakes(view)?.progress())),
        ["api", "0", "stop"] => post(&|| Ok(bakes(view)?.stop())),
        ["api", "0", "play"] => get(&|| play(view)),
        ["api", "0", "counts"] => get(&|| counts(view, &query)),
        ["api", "0", "live"] => get(&|| dig::live(dug(view)?)),
        ["api", "0", "dig"] => post(&|| dig_here(view, &query)),
        ["api", pane, "walk"] => post(&|| walk(view, number(pane)?, &query)),
        ["api", pane, "walk", id] => post(&|| step(view, number(pane)?, number(id)?, &query)),
        _ => Err(Refusal::not_found("there is nothing here")),
    }
}

/// Answers where the method is the one that is expected; whoever may GET may ask for the HEAD.
fn by(
    method: &'static str,
    request: &Request,
    answer: impl FnOnce() -> Result<Response, Refusal>,
) -> Result<Response, Refusal> {
    if request.method == method || (method == "GET" && request.method == "HEAD") {
        return answer();
    }
    let mut refusal = Response::words(405, &format!("expected the method {method}"));
    refusal.headers.push(("allow", method));
    Ok(refusal)
}

/// A number in a path.
fn number<N: FromStr>(text: &str) -> Result<N, Refusal> {
    let wrong = |_| Refusal::bad_request(format!("{text:?}: expected a number"));
    text.parse().map_err(wrong)
}

/// What stands behind the question mark; each name once.
struct Query(Vec<(String, String)>);

impl Query {
    fn new(text: &str) -> Result<Self, Refusal> {
        let pairs = form_urlencoded::parse(text.as_bytes()).into_owned();
        let pairs: Vec<(String, String)> = pairs.collect();
        for (i, (name, _)) in pairs.iter().enumerate() {
            if pairs[..i].iter().any(|other| other.0 == *name) {
                return Err(Refusal::bad_request(format!("{name}: given twice")));
            }
        }
        Ok(Self(pairs))
    }

    fn get(&self, name: &str) -> Option<&str> {
        let pair = self.0.iter().find(|pair| pair.0 == name);
        pair.map(|pair| &pair.1[..])
    }

    fn must(&self, name: &str) -> Result<&str, Refusal> {
        let missing = || Refusal::bad_request(format!("{name}: missing"));
        self.get(name).ok_or_else(missing)
    }

    fn number<N: FromStr>(&self, name: &str) -> Result<Option<N>, Refusal> {
        let parse = |text: &str| {
            let wrong = |_| Refusal::bad_request(format!("{name}={text}: expected a number"));
            text.parse().map_err(wrong)
        };
        self.get(name).map(parse).transpose()
    }
}

/// Answers a question about a bundle, and says of which generation the answer is.
fn ask(
    view: &View,
    pane: usize,
    question: impl FnOnce(&Arc<Opened>, World<'_>) -> Answered,
) -> Answered {
    let none = match view.unbaked(pane) {
        Some(_) => "this needs a bundle: bake first",
        None => "there is no such bundle",
    };
    let shown = view.shown();
    let source = shown.get(pane);
    let source = source.ok_or_else(|| Refusal::not_found(none))?;
    let opened = source.current();
    if let (Some(digging), 0) = (&view.digging, pane) {
        // Of the bundle that is dug in, whatever file has taken its name.
        let now = digging.now();
        let answer = question(&opened, World::Terrain(now.terrain()))?;
        return Ok(answer
            .entry("generation", 0)
            .entry("version", now.version()));
    }
    let answer = question(&opened, *opened.bundle.world())?;
    Ok(answer.entry("generation", opened.generation))
}

/// The world that can be baked.
fn bakes(view: &View) -> Result<&Arc<Unbaked>, Refusal> {
    let none = "viewcell view was started with a bundle: there is nothing to bake";
    view.unbaked
        .as_ref()
        .ok_or_else(|| Refusal::not_found(none))
}

/// The ground that can be dug in.
fn dug(view: &View) -> Result<&Arc<Digging>, Refusal> {
    let none = "this ground cannot be changed: viewcell view was started without digging";
    view.digging
        .as_ref()
        .ok_or_else(|| Refusal::not_found(none))
}

/// A crater, or a hill.
fn dig_here(view: &View, query: &Query) -> Answered {
    let number = |name: &str| -> Result<f64, Refusal> {
        let missing = || Refusal::bad_request(format!("{name}: missing"));
        query.number(name)?.ok_or_else(missing)
    };
    let fill = match query.must("do")? {
        "dig" => false,
        "fill" => true,
        other => {
            return Err(Refusal::bad_request(format!(
                "do={other}: expected dig or fill"
            )));
        }
    };
    let (radius, depth) = (number("radius")?, number("depth")?);
    dig::dig(
        dug(view)?,
        query.must("at")?,
        radius,
        if fill { -depth } else { depth },
    )
}

/// What is viewed: asked for at the start, and now and then to learn of a new bundle.
fn about(view: &View) -> Answered {
    let about = |source: &Shown| -> Result<Value, Refusal> {
        let opened = source.current();
        let bundle = opened.bundle.bundle();
        let mut about = match opened.bundle.world() {
            World::Terrain(terrain) => terrain::about(terrain, bundle.crs()),
            World::Cells(level) => level::about(level),
            World::Solid(level) => solid::about(level),
        };
        about["name"] = source.name().into();
        about["bytes"] = bundle.bytes().len().into();
        about["generation"] = opened.generation.into();
        about["fault"] = source.fault().into();
        about["digs"] = view.digging.is_some().into();
        if view.digging.is_some() {
            about["generation"] = 0.into();
            about["fault"] = Value::Null;
        }
        about["players"] = view.players.as_ref().map(|players| players.count()).into();
        Ok(about)
    };
    let panes: Result<Vec<_>, _> = match view.unbaked(0) {
        Some(unbaked) => Ok(vec![unbaked.about()]),
        None => view.shown().into_iter().map(about).collect(),
    };
    Ok(Answer::new(
        json!({ "panes": panes?, "palette": colours() }),
    ))
}

/// A level is cut at a height, if one is given.
fn ground(view: &View, pane: usize, query: &Query) -> Answered {
    let cut: Option<f64> = query.number("cut")?;
    if cut.is_some_and(|cut| !cut.is_finite()) {
        return Err(Refusal::bad_request("cut: expected a height"));
    }
    if let Some(unbaked) = view.unbaked(pane) {
        return unbaked.ground();
    }
    ask(view, pane, |opened, world| match world {
        World::Terrain(terrain) => Ok(terrain::ground(&terrain)),
        World::Cells(level) => Ok(level::ground(&level, cut, view.shown()[pane].path())),
        World::Solid(level) => solid::ground(opened, &level),
    })
}

/// What a solid level looks like in three dimensions.
fn mesh(view: &View, pane: usize) -> Answered {
    if let Some(unbaked) = view.unbaked(pane) {
        return unbaked.mesh();
    }
    ask(view, pane, |opened, world| match world.solid() {
        Some(level) => solid::mesh_of(opened, level),
        None => Err(Refusal::not_found("this world is drawn by its heights")),
    })
}

fn pvs(view: &View, pane: usize, query: &Query) -> Answered {
    let at = query.must("at")?;
    let level = query.number("level")?.unwrap_or(0);
    if let (Some(digging), 0) = (&view.digging, pane) {
        return dig::pvs(digging, at, level);
    }
    if let Some(unbaked) = view.unbaked(pane) {
        return unbaked.pvs(at);
    }
    ask(view, pane, |_, world| places::pvs(&world, at, level))
}

fn distances(view: &View, pane: usize, query: &Query) -> Answered {
    let at = query.must("at")?;
    ask(view, pane, |_, world| match world.cells() {
        Some(level) => level::distances(level, at),
        None => Err(Refusal::not_found(format!(
            "steps are between cells of a bundle of cells; this one is of {}",
            world.kind()
        ))),
    })
}

fn exposure(view: &View, pane: usize) -> Answered {
    if let (Some(digging), 0) = (&view.digging, pane) {
        return dig::exposed(digging);
    }
    ask(view, pane, |opened, world| match world.cells() {
        Some(level) => Ok(level::exposed(level)),
        None => terrain::exposed(opened, &world),
    })
}

/// Players whose paths are played: where they are, and who sees whom.
fn play(view: &View) -> Answered {
    let players = played(view)?;
    ask(view, 0, |opened, _| play::ways(opened, players))
}

/// What a scheme of these players comes to.
fn counts(view: &View, query: &Query) -> Answered {
    let (players, name) = (played(view)?, query.must("scheme")?);
    ask(view, 0, |opened, _| play::counts(opened, players, name))
}

fn played(view: &View) -> Result<&Arc<Played>, Refusal> {
    let none = "there are no players: viewcell view was given no trace of any";
    view.players
        .as_ref()
        .ok_or_else(|| Refusal::not_found(none))
}

impl<'a> Players<'a> {
    fn of(query: &'a Query) -> Result<Self, Refusal> {
        Ok(Self {
            a: query.must("a")?,
            b: query.must("b")?,
            margin: query.number("margin")?.unwrap_or(0),
            reach: query.number("reach")?,
        })
    }
}

fn frontier(view: &View, pane: usize, query: &Query) -> Answered {
    let players = Players::of(query)?;
    ask(view, pane, |_, world| places::frontier(&world, &players))
}

fn check(view: &View, pane: usize, query: &Query) -> Answered {
    let players = Players::of(query)?;
    ask(view, pane, |_, world| places::check(&world, &players))
}

fn walk(view: &View, pane: usize, query: &Query) -> Answered {
    if view.digging.is_some() {
        let walks = "walks need ground that does not change; this one may be dug";
        return Err(Refusal::not_found(walks));
    }
    let players = Players::of(query)?;
    let places = [players.a, players.b].map(str::to_owned);
    ask(view, pane, |opened, _| {
        view.walks.begin(opened.clone(), places)
    })
}

/// A step of a walk; who is not named stays.
fn step(view: &View, pane: usize, id: u64, query: &Query) -> Answered {
    let to = ["a", "b"].map(|name| query.get(name).map(str::to_owned));
    ask(view, pane, |_, _| view.walks.step(id, to))
}

// Three dimensions beside the map: opened, closed, and how one looks.

import { Scene, canDraw } from "./scene.js";
import { $ } from "./words.js";

const MODES = ["orbit", "fly", "stand"];

/** Opens the view in three dimensions, or says why there is none. */
export async function openScene(app, mode = "orbit") {
  if (!app.scene) {
    const [pane] = app.panes;
    if (!canDraw()) return app.say("This browser does not draw in three dimensions (it has no WebGL 2): the map shows the same.");
    if (app.about.kind === "cells" && !pane.ground.relief) return app.say("This bundle does not say where its cells lie: there is the map alone.");
    let scene;
    try {
      scene = await Scene.load(pane);
    } catch (error) {
      return app.say(error.message);
    }
    app.scene = pane.scene = scene;
    $("panes").append(scene.box);
    scene.box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !scene.key(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    scene.moved = (place) => app.setPlace(place);
    app.watch(scene);
    $("eye").hidden = false;
    $("three").setAttribute("aria-pressed", "true");
    app.resize();
    scene.fit();
  }
  choose(app, MODES.includes(mode) ? mode : "orbit");
  return undefined;
}

function closeScene(app) {
  app.scene.box.remove();
  app.scene.gl.getExtension("WEBGL_lose_context")?.loseContext();
  app.scene = app.panes[0].scene = undefined;
  $("eye").hidden = true;
  $("three").setAttribute("aria-pressed", "false");
  app.resize();
}

/** Listens to the button and to the choice of how one looks. */
export function listenToScene(app) {
  $("three").addEventListener("click", async () => {
    if (app.scene) closeScene(app);
    else await openScene(app);
    app.keepLink();
  });
  $("eye").addEventListener("change", ({ target }) => {
    choose(app, target.value);
    app.scene.box.focus({ preventScroll: true });
    app.keepLink();
  });
}

function choose(app, mode) {
  const { state, scene } = app;
  document.querySelector(`input[name=eye][value=${mode}]`).checked = true;
  if (mode === "stand") {
    const place = (["frontier", "walk"].includes(state.layer) ? state[state.active] : state.place) ?? app.middle;
    if (!place) return app.say("All of this is void: there is nowhere to stand.");
    state.pinned = true;
    app.setPlace(place);
    scene.setMode("stand", place);
  } else {
    scene.setMode(mode);
  }
  return undefined;
}

/** Whoever stands goes along with the place. */
export function standAt(app, place) {
  const { scene } = app;
  if (scene?.mode !== "stand" || scene.isWalking) return;
  scene.stand(app.panes[0].ground.middle(place), place[2]);
  scene.draw();
}

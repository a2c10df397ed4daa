//! A headless Chromium, driven through the DevTools protocol.
//!
//! The browser speaks it over two pipes, and ends when they close: also when a test is killed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Names that Chromium goes by.
const NAMES: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

pub struct Browser {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    next: u64,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// A browser with an empty page of this size; says so if there is none on this machine.
    pub fn start([width, height]: [u32; 2]) -> Option<Self> {
        let found = NAMES.iter().find(|name| {
            let asked = Command::new(name).arg("--version").output();
            asked.is_ok_and(|output| output.status.success())
        });
        let Some(name) = found else {
            // Straight to stderr: what a test that passes prints is not shown.
            let _ = writeln!(std::io::stderr(), "skipped: no Chromium found");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken over file descriptors 3 and 4, which only a shell sets up
        // without unsafe code.
        let mut child = Command::new("sh")
            .args([
                "-c",
                r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#,
                "sh",
            ])
            .arg(name)
            .args([
                "--headless",
                "--no-sandbox",
                // WebGL in software.
                "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader",
                "--disable-dev-shm-usage",
                "--force-color-profile=srgb",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let value = serde_json::from_slice(&message).unwrap();
                if sender.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let mut browser = Self {
            child,
            commands,
            messages,
            next: 0,
            session: String::new(),
            _profile: profile,
        };
        let page = json!({ "url": "about:blank", "width": width, "height": height });
        let target = browser.call("Target.createTarget", page)["targetId"].clone();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = browser.call("Target.attachToTarget", attach)["sessionId"].clone();
        browser.session = session.as_str().unwrap().to_owned();
        browser.resize([width, height]);
        Some(browser)
    }

    /// Calls a method of the protocol, which must succeed.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.attempt(method, parameters);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Calls a method of the protocol.
    fn attempt(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.next += 1;
        let mut command = json!({ "id": self.next, "method": method, "params": parameters });
        if !self.session.is_empty() {
            command["sessionId"] = self.session.as_str().into();
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).unwrap();
        let begun = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let message = self.messages.recv_timeout(left);
            let message = message.unwrap_or_else(|error| panic!("{method}: {error}"));
            if message["id"] == self.next {
                return match &message["error"] {
                    Value::Null => Ok(message["result"].clone()),
                    error => Err(error.clone()),
                };
            }
        }
    }

    /// Sets the size of the window.
    pub fn resize(&mut self, [width, height]: [u32; 2]) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Evaluates an expression in the page, and waits for it if it is a promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", evaluation(expression));
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Opens the view's page, and waits until it is ready.
    pub fn open(&mut self, url: &str) {
        // The same page with another fragment would not load again.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.wait_for("location.href === 'about:blank'");
        self.call("Page.navigate", json!({ "url": url }));
        self.wait_for("document.documentElement?.dataset.ready === 'yes'");
    }

    /// Waits until an expression is true, also where the page loads anew meanwhile.
    pub fn wait_for(&mut self, expression: &str) {
        let begun = Instant::now();
        loop {
            let answer = self.attempt("Runtime.evaluate", evaluation(expression));
            if answer.is_ok_and(|answer| answer["result"]["value"] == true) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "never true: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A mouse event: mouseMoved, mousePressed or mouseReleased.
    pub fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let pressed = kind != "mouseMoved";
        let event = json!({
            "type": kind, "x": x, "y": y,
            "button": if pressed { "left" } else { "none" },
            "clickCount": u32::from(pressed),
        });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Presses a key and lets it go.
    pub fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key }),
            );
        }
    }
}

fn evaluation(expression: &str) -> Value {
    json!({ "expression": expression, "awaitPromise": true, "returnByValue": true })
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

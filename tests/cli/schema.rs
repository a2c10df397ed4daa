//! Holds documents to the files of `schemas/`.

use std::path::Path;

use serde_json::{Value, json};

/// A schema by the name of its file.
pub fn schema_of(name: &str) -> Value {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let path = folders
        .find_map(|folder| Some(folder.join("schemas").join(name)).filter(|it| it.is_file()));
    serde_json::from_slice(&std::fs::read(path.unwrap()).unwrap()).unwrap()
}

/// Where a document is not as its schema says. Of JSON Schema it knows what our schemas use,
/// and refuses the rest; properties that a schema does not name are faults.
pub fn faults_of(schema: &Value, document: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    judge(schema, schema, document, "", &mut faults);
    faults
}

fn judge(root: &Value, schema: &Value, value: &Value, place: &str, faults: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        assert_eq!(schema, &json!(true), "{place}: not a schema");
        return;
    };
    for (keyword, demand) in schema {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" | "default" => {}
            "$ref" => {
                let path = demand.as_str().unwrap().strip_prefix('#').unwrap();
                judge(root, root.pointer(path).unwrap(), value, place, faults);
            }
            "type" => {
                let allowed = demand.as_array().cloned().unwrap_or(vec![demand.clone()]);
                if !allowed
                    .iter()
                    .any(|name| has_type(value, name.as_str().unwrap()))
                {
                    faults.push(format!("{place}: expected {demand}, found {value}"));
                }
            }
            "enum" if !demand.as_array().unwrap().contains(value) => {
                faults.push(format!("{place}: expected one of {demand}, found {value}"));
            }
            "const" if demand != value => {
                faults.push(format!("{place}: expected {demand}, found {value}"));
            }
            "enum" | "const" => {}
            "minimum" if value.as_f64().is_some_and(|v| Some(v) < demand.as_f64()) => {
                faults.push(format!(
                    "{place}: expected at least {demand}, found {value}"
                ));
            }
            "maximum" if value.as_f64().is_some_and(|v| Some(v) > demand.as_f64()) => {
                faults.push(format!("{place}: expected at most {demand}, found {value}"));
            }
            "minimum" | "maximum" => {}
            "required" => {
                for name in demand.as_array().unwrap() {
                    if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
                        faults.push(format!("{place}: no {name}"));
                    }
                }
            }
            "properties" | "additionalProperties" => {}
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    judge(root, demand, item, &format!("{place}/{i}"), faults);
                }
            }
            "minItems" | "maxItems" => {
                let (length, bound) = (value.as_array().map(Vec::len), demand.as_u64().unwrap());
                let fits = |length| {
                    if keyword == "minItems" {
                        length >= bound
                    } else {
                        length <= bound
                    }
                };
                if length.is_some_and(|length| !fits(length as u64)) {
                    faults.push(format!("{place}: expected {keyword} {bound}"));
                }
            }
            "anyOf" | "oneOf" => {
                let fits = |choice| {
                    let mut faults = Vec::new();
                    judge(root, choice, value, place, &mut faults);
                    faults.is_empty()
                };
                if !demand.as_array().unwrap().iter().any(fits) {
                    faults.push(format!("{place}: none of the choices fits {value}"));
                }
            }
            other => panic!("{place}: the judge does not know {other:?}"),
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let others = schema.get("additionalProperties");
    for (name, value) in value.as_object().into_iter().flatten() {
        let place = format!("{place}/{name}");
        match (properties.and_then(|known| known.get(name)), others) {
            (Some(schema), _) => judge(root, schema, value, &place, faults),
            (None, Some(schema)) if schema != &json!(false) => {
                judge(root, schema, value, &place, faults)
            }
            (None, None) if properties.is_none() => {}
            (None, _) => faults.push(format!("{place}: is not in the schema")),
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other:?} in JSON Schema"),
    }
}

#[test]
fn the_judge_of_documents_finds_faults() {
    let schema = json!({
        "$defs": {"Kind": {"enum": ["a", "b"]}},
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": {"$ref": "#/$defs/Kind"},
            "pair": {"type": ["array", "null"], "items": {"type": "integer"}},
            "few": {"type": "integer", "minimum": 1, "maximum": 3},
            "either": {"anyOf": [{"type": "boolean"}, {"type": "string"}]},
        },
    });
    let faults = |document: Value| faults_of(&schema, &document).len();
    assert_eq!(
        faults(json!({"kind": "a", "pair": [1, 2], "either": true})),
        0
    );
    assert_eq!(faults(json!({"kind": "b", "pair": null})), 0);
    assert_eq!(faults(json!({"kind": "a", "few": 3})), 0);
    assert_eq!(faults(json!({"kind": "a", "few": 0})), 1);
    assert_eq!(faults(json!({"kind": "a", "few": 4})), 1);
    assert_eq!(faults(json!({"kind": "c"})), 1);
    assert_eq!(faults(json!({})), 1);
    assert_eq!(faults(json!([])), 1);
    assert_eq!(faults(json!({"kind": "a", "other": 1})), 1);
    assert_eq!(faults(json!({"kind": "a", "pair": [1.5, 2]})), 1);
    assert_eq!(faults(json!({"kind": "a", "either": 3})), 1);
}

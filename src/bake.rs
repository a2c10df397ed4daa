//! The job: heightmap to bundle, stage by stage.

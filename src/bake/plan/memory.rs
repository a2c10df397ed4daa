//! How much memory the system has free: what a bake may take where nobody says how much.

use std::fs;

/// Bytes of memory that the system has free for this process; `None` where it does not say.
pub fn free_memory() -> Option<u64> {
    // Linux: what is free or can be freed, in kB.
    let all = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = all.lines().find_map(|line| {
        let kilobytes = line
            .strip_prefix("MemAvailable:")?
            .trim()
            .strip_suffix(" kB")?;
        Some(kilobytes.trim().parse::<u64>().ok()? * 1024)
    });
    // What a container may take.
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limits = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    let contained = limits.iter().find_map(|path| number(path));
    // What addresses it may take (`ulimit -v`), of which some are taken.
    let addresses = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let addresses = addresses.lines().find_map(|line| {
        let limit = line
            .strip_prefix("Max address space")?
            .split_whitespace()
            .next()?;
        limit.parse::<u64>().ok()
    });
    [free, contained, addresses].into_iter().flatten().min()
}

//! Peak memory of the process, as Linux and Windows report it.

/// The most memory that the process has used, in bytes; 0 where the system does not say.
#[cfg(not(windows))]
pub(crate) fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"))
        .and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok())
        .map_or(0, |kilobytes| kilobytes * 1024)
}

#[cfg(windows)]
pub(crate) fn memory() -> u64 {
    use std::ffi::c_void;

    /// `PROCESS_MEMORY_COUNTERS`.
    #[repr(C)]
    #[derive(Default)]
    struct Counters {
        length: u32,
        page_faults: u32,
        peak_working_set: usize,
        working_set_pools_and_page_files: [usize; 7],
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentProcess() -> *mut c_void;
        fn K32GetProcessMemoryInfo(process: *mut c_void, to: *mut Counters, length: u32) -> i32;
    }

    let mut counters = Counters {
        length: size_of::<Counters>() as u32,
        ..Counters::default()
    };
    // SAFETY: the second has as many bytes as the third says.
    let told =
        unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &mut counters, counters.length) };
    if told == 0 {
        0
    } else {
        counters.peak_working_set as u64
    }
}

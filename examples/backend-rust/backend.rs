// A backend for muster in Rust, without any crate: compiles a program with the system's C compiler and runs it on the
// processor's threads. The first part lays out what it needs of muster_backend.h, the second is the backend. Rust 1.63.
//
//     rustc --edition 2021 -O -C panic=abort --crate-type cdylib -o libmuster_backend_rust.so backend.rs    # a plugin
//     rustc --edition 2021 -O -C panic=abort --crate-type staticlib -o libmuster_backend_rust.a backend.rs  # for a program to link
//
// The backend's id is in the variable MUSTER_BACKEND_ID then, if it isn't "rust". A program links the archive between
// -Wl,--whole-archive and -Wl,--no-whole-archive, because nothing refers to what is in it.

use std::ffi::{c_void, CStr, CString};
use std::mem::size_of;
use std::os::raw::{c_char, c_int};
use std::ptr::{null, null_mut};

// ---- muster_backend.h ----

type Status = i32;
const OK: Status = 0;
const UNAVAILABLE: Status = -8;
const COMPILE_FAILED: Status = -9;
const IO_FAILED: Status = -14;
const INTERNAL: Status = -15;
const GNU99: u32 = 1;
const MEETS: u32 = 1;
const UNIFIED_MEMORY: u32 = 2;
const KIND_CPU: u32 = 1;

#[repr(C)]
struct Text {
    data: *const u8,
    size: usize,
}

#[repr(C)]
pub struct MusterError {
    struct_size: u32,
    reserved: u32,
    message: [u8; 2048],
    fix: [u8; 512],
}

#[repr(C)]
pub struct MusterDevice {
    struct_size: u32,
    form: u32,
    name: [u8; 128],
    arch: [u8; 64],
    driver: [u8; 128],
    compiler: [u8; 256],
    lacks: [u8; 1024],
    kind: u32,
    flags: u32,
    // What follows keeps its defaults.
}

#[repr(C)]
pub struct Code {
    struct_size: u32,
    form: u32,
    flags: u32,
    workgroup_size: [u32; 3],
    text: Text,
    entry: Text,
    bindings: *const *const c_void,
    binding_count: usize,
    options: *const c_void,
    option_count: usize,
    workgroup_bytes: u64,
    private_bytes: u64,
}

#[repr(C)]
pub struct Launch {
    struct_size: u32,
    argument_count: u32,
    executable: *mut c_void,
    arguments: *const c_void,
    addresses: *const *mut c_void,
    lengths: *const u32,
    origin: [u32; 3],
    extent: [u32; 3],
    grid: [u32; 3],
}

type Meet = unsafe extern "C" fn(*mut c_void);
type KernelFunction = unsafe extern "C" fn(*const *mut c_void, *const u32, *const [u32; 3], Meet, *mut c_void);
type NoFunction = *const c_void; // a slot that keeps its default

#[repr(C)]
struct Table {
    struct_size: u32,
    version: u32,
    forms: u32,
    flags: u32,
    specs: *const c_void,
    spec_count: usize,
    count_devices: NoFunction,
    describe_device: unsafe extern "C" fn(u32, *mut MusterDevice, *mut MusterError) -> Status,
    open: NoFunction,
    close: NoFunction,
    build: unsafe extern "C" fn(*mut c_void, *const Code, *mut *mut c_void, *mut MusterError) -> Status,
    release: unsafe extern "C" fn(*mut c_void, *mut c_void),
    allocate: NoFunction,
    free: NoFunction,
    write: NoFunction,
    read: NoFunction,
    copy: NoFunction,
    launch: unsafe extern "C" fn(*mut c_void, *const Launch, *mut *mut c_void, *mut MusterError) -> Status,
    wait: NoFunction,
    abandon: NoFunction,
    describe_target: NoFunction,
}
unsafe impl Sync for Table {}

/// The first bytes of each record.
#[repr(C)]
struct Header {
    magic: [u8; 8],
    schema: u32,
    kind: u32,
    size: u32,
    reserved: u32,
    abi: [u8; 64],
    origin: [u8; 64],
}
#[repr(C, align(8))]
struct Registration {
    header: Header,
    id: [u8; 32],
    table: *const Table,
    reserved: *const c_void,
    tags: [u8; 96],
}
unsafe impl Sync for Registration {}
#[repr(C, align(8))]
struct Precedence {
    header: Header,
    id: [u8; 32],
    rank: u32,
    reserved: u32,
}
#[repr(C, align(8))]
struct Capability {
    header: Header,
    id: [u8; 32],
    dispatches: u8,
    reserved: [u8; 7],
}

/// The text, with zeros up to the array's end.
const fn inline<const N: usize>(text: &str) -> [u8; N] {
    let from = text.as_bytes();
    let mut to = [0; N];
    let mut i = 0;
    while i < from.len() && i + 1 < N {
        to[i] = from[i];
        i += 1;
    }
    to
}

const fn header(kind: u32, size: usize) -> Header {
    Header {
        magic: *b"MUSTERr\x01",
        schema: 1,
        kind,
        size: size as u32,
        reserved: 0,
        abi: inline("muster-c/1"),
        origin: inline("backend.rs"),
    }
}

// The note that leads muster to the records, and a mark that names the driver that the library is linked to, if there is one.
std::arch::global_asm!(
    ".weak __start_muster_records",
    ".hidden __start_muster_records",
    ".weak __stop_muster_records",
    ".hidden __stop_muster_records",
    ".weakref muster_driver_here, _ZN6muster15driver_identityE",
    ".pushsection muster_note,\"aGR\",%note,muster_inventory_note,comdat",
    ".balign 4",
    ".long 7, 8, 0x3153554d",
    ".asciz \"muster\"",
    ".balign 4",
    ".long __start_muster_records - .",
    ".long __stop_muster_records - .",
    ".popsection",
    ".pushsection muster_records,\"awGR\",%progbits,muster_inventory_note,comdat",
    ".balign 8",
    ".ascii \"MUSTERd\\001\"",
    ".quad muster_driver_here",
    ".balign 8",
    ".popsection",
);

// ---- the records ----

const ID: &str = match option_env!("MUSTER_BACKEND_ID") {
    Some(id) => id,
    None => "rust",
};
// `static mut`, because the section is writable.
#[used]
#[link_section = "muster_records"]
static mut REGISTRATION: Registration = Registration {
    header: header(1, size_of::<Registration>()),
    id: inline(ID),
    table: &TABLE,
    reserved: null(),
    // The tag keeps automatic routing from choosing it where another backend is: it runs what names it.
    tags: inline("experimental"),
};
#[used]
#[link_section = "muster_records"]
static mut PRECEDENCE: Precedence =
    Precedence { header: header(2, size_of::<Precedence>()), id: inline(ID), rank: 610, reserved: 0 };
#[used]
#[link_section = "muster_records"]
static mut CAPABILITY: Capability =
    Capability { header: header(3, size_of::<Capability>()), id: inline(ID), dispatches: 1, reserved: [0; 7] };

static TABLE: Table = Table {
    struct_size: size_of::<Table>() as u32,
    version: 1,
    forms: GNU99,
    flags: 0,
    specs: null(),
    spec_count: 0,
    count_devices: null(),
    describe_device,
    open: null(),
    close: null(),
    build,
    release,
    allocate: null(),
    free: null(),
    write: null(),
    read: null(),
    copy: null(),
    launch,
    wait: null(),
    abandon: null(),
    describe_target: null(),
};

// ---- the device ----

/// An error: its status, its message and its fix.
struct Failure(Status, String, &'static str);

fn copy_text(to: &mut [u8], text: &str) {
    let bytes = text.len().min(to.len() - 1);
    to[..bytes].copy_from_slice(&text.as_bytes()[..bytes]);
    to[bytes] = 0;
}

unsafe fn status_of(outcome: Result<(), Failure>, error: *mut MusterError) -> Status {
    match outcome {
        Ok(()) => OK,
        Err(Failure(status, message, fix)) => {
            copy_text(&mut (*error).message, &message);
            copy_text(&mut (*error).fix, fix);
            status
        }
    }
}

unsafe extern "C" fn describe_device(_ordinal: u32, to: *mut MusterDevice, _error: *mut MusterError) -> Status {
    let to = &mut *to;
    copy_text(&mut to.name, "the processor's threads, by the system's C compiler");
    copy_text(&mut to.driver, "cc");
    to.kind = KIND_CPU;
    to.flags |= UNIFIED_MEMORY;
    OK
}

// ---- code ----

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
    fn dlerror() -> *const c_char;
}
const RTLD_NOW: c_int = 2;

/// A program that was built.
struct Kernel {
    library: *mut c_void,
    run: KernelFunction,
    size: [u32; 3], // of a workgroup
    meets: bool,
    stack_bytes: usize, // of an invocation
}

/// A folder for the compiler's files, which goes when it is dropped: a library that is open needs its file no more.
struct Folder(std::path::PathBuf);
impl Folder {
    fn new() -> Result<Folder, Failure> {
        use std::os::unix::fs::DirBuilderExt;
        use std::sync::atomic::{AtomicU64, Ordering};
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let name = format!("muster-rust-{}-{}-{}", std::process::id(), now, COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        match std::fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Ok(Folder(path)),
            Err(why) => Err(Failure(
                IO_FAILED,
                format!("The folder {} can't be made: {}.", path.display(), why),
                "set TMPDIR to a folder for temporary files",
            )),
        }
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

unsafe fn bytes_of<'a>(text: &Text) -> &'a [u8] {
    std::slice::from_raw_parts(text.data, text.size)
}

fn compile(folder: &Folder, text: &[u8]) -> Result<std::path::PathBuf, Failure> {
    let (source, library) = (folder.0.join("kernel.c"), folder.0.join("kernel.so"));
    std::fs::write(&source, text)
        .map_err(|why| Failure(IO_FAILED, format!("The program's text can't be written: {}.", why), "free some space"))?;
    let options = ["-std=gnu99", "-O2", "-w", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", "-o"];
    let made = std::process::Command::new("cc").args(options).arg(&library).arg(&source).arg("-lm").output();
    match made {
        Ok(output) if output.status.success() => Ok(library),
        Ok(output) => Err(Failure(
            COMPILE_FAILED,
            format!("cc fails: {}", String::from_utf8_lossy(&output.stderr)),
            "report this with the program",
        )),
        Err(why) => Err(Failure(UNAVAILABLE, format!("There is no C compiler called cc: {}.", why), "install a C compiler")),
    }
}

unsafe fn built(code: &Code) -> Result<Kernel, Failure> {
    let folder = Folder::new()?;
    let path = compile(&folder, bytes_of(&code.text))?;
    let name = CString::new(path.to_string_lossy().as_bytes()).unwrap_or_default();
    let library = dlopen(name.as_ptr(), RTLD_NOW);
    if library.is_null() {
        let why = CStr::from_ptr(dlerror()).to_string_lossy().into_owned();
        return Err(Failure(UNAVAILABLE, format!("The library that cc made can't be opened: {}.", why), "set TMPDIR"));
    }
    let function = dlsym(library, code.entry.data as *const c_char); // its text ends with a zero
    if function.is_null() {
        dlclose(library);
        return Err(Failure(INTERNAL, "The library that cc made has no kernel.".to_string(), "report this"));
    }
    Ok(Kernel {
        library,
        run: std::mem::transmute::<*mut c_void, KernelFunction>(function),
        size: code.workgroup_size,
        meets: code.flags & MEETS != 0,
        // Values that the compiler keeps aren't counted, and may be as many.
        stack_bytes: 2 * code.private_bytes as usize + 65536,
    })
}

unsafe extern "C" fn build(
    _device: *mut c_void,
    code: *const Code,
    executable: *mut *mut c_void,
    error: *mut MusterError,
) -> Status {
    let outcome = built(&*code).map(|kernel| *executable = Box::into_raw(Box::new(kernel)) as *mut c_void);
    status_of(outcome, error)
}

unsafe extern "C" fn release(_device: *mut c_void, executable: *mut c_void) {
    let kernel = Box::from_raw(executable as *mut Kernel);
    dlclose(kernel.library);
}

// ---- launches ----

unsafe extern "C" fn meet(barrier: *mut c_void) {
    (*(barrier as *const std::sync::Barrier)).wait();
}

/// What the invocations of a launch share. They read it, and the memory behind it is theirs to write.
#[derive(Clone, Copy)]
struct Shared<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch,
    barrier: Option<&'a std::sync::Barrier>,
}
unsafe impl Sync for Shared<'_> {}
unsafe impl Send for Shared<'_> {}

impl Shared<'_> {
    unsafe fn run(&self, local: u32, group: [u32; 3]) {
        let [x, y, _] = self.kernel.size;
        let ids = [[local % x, local / x % y, local / x / y], group, self.launch.grid];
        let barrier = self.barrier.map_or(null_mut(), |barrier| barrier as *const _ as *mut c_void);
        (self.kernel.run)(self.launch.addresses, self.launch.lengths, ids.as_ptr(), meet, barrier);
    }

    /// Calls `run` for each workgroup of the launch.
    fn for_each_workgroup(&self, mut run: impl FnMut([u32; 3])) {
        let Launch { origin, extent, .. } = *self.launch;
        for z in origin[2]..origin[2] + extent[2] {
            for y in origin[1]..origin[1] + extent[1] {
                for x in origin[0]..origin[0] + extent[0] {
                    run([x, y, z]);
                }
            }
        }
    }
}

/// Runs each invocation of a workgroup on a thread of its own: all threads go through the workgroups together.
fn run_on_threads(shared: Shared, count: u32) -> Result<(), Failure> {
    let barrier = std::sync::Barrier::new(count as usize);
    let shared = Shared { barrier: Some(&barrier), ..shared };
    let are_all_there = std::sync::Mutex::new(true); // held until that is known
    let invocation = |local: u32| {
        if !*are_all_there.lock().unwrap() {
            return;
        }
        shared.for_each_workgroup(|group| {
            barrier.wait(); // until all have left the workgroup before, whose memory this one uses
            unsafe { shared.run(local, group) };
        });
    };
    let invocation = &invocation;
    std::thread::scope(|scope| {
        let mut all = are_all_there.lock().unwrap();
        for local in 0..count {
            let builder = std::thread::Builder::new().stack_size(shared.kernel.stack_bytes);
            if let Err(why) = builder.spawn_scoped(scope, move || invocation(local)) {
                *all = false;
                let message = format!("The system has no thread for invocation {} of {}: {}.", local, count, why);
                return Err(Failure(UNAVAILABLE, message, "use smaller workgroups"));
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn launch(
    _device: *mut c_void,
    what: *const Launch,
    _submission: *mut *mut c_void,
    error: *mut MusterError,
) -> Status {
    let launch = &*what;
    let kernel = &*(launch.executable as *const Kernel);
    let count: u32 = kernel.size.iter().product();
    let shared = Shared { kernel, launch, barrier: None };
    if kernel.meets {
        return status_of(run_on_threads(shared, count), error);
    }
    shared.for_each_workgroup(|group| (0..count).for_each(|local| shared.run(local, group)));
    OK
}

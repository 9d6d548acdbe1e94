// What a DLL of Windows that has a name of NVIDIA's says of its version: a part of the build scripts of such libraries.

use std::path::PathBuf;
use std::process::Command;

/// As NVIDIA's drivers count for Windows: the last five digits are those of 580.88, of the branch that CUDA 13.0 came with.
const FILE: [u16; 4] = [32, 0, 15, 8088];
/// How NVIDIA's system information names the driver; the number is CUDA's, as the driver reports it.
const PRODUCT: &str = "NVIDIA CUDA 13.0.0 driver";

/// Links the resource, in builds for Windows. `stands_for` is what is called NVIDIA's by that name.
pub fn link(name: &str, stands_for: &str) {
    println!("cargo:rerun-if-changed=../zluda_api/windows_version.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("windows") {
        return;
    }
    let [file, dotted] = [",", "."].map(|mark| FILE.map(|part| part.to_string()).join(mark));
    let text = format!(
        r#"1 VERSIONINFO
FILEVERSION {file}
PRODUCTVERSION {file}
FILEFLAGSMASK 0x3f
FILEOS 0x40004
FILETYPE 2
BEGIN
  BLOCK "StringFileInfo"
  BEGIN
    BLOCK "040904b0"
    BEGIN
      VALUE "CompanyName", "ZLUDA"
      VALUE "FileDescription", "ZLUDA, in place of {stands_for}"
      VALUE "FileVersion", "{dotted}"
      VALUE "InternalName", "{name}"
      VALUE "OriginalFilename", "{name}"
      VALUE "ProductName", "{PRODUCT}"
      VALUE "ProductVersion", "{dotted}"
    END
  END
  BLOCK "VarFileInfo"
  BEGIN
    VALUE "Translation", 0x409, 1200
  END
END
"#
    );
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder"));
    let (source, object) = (folder.join("version.rc"), folder.join("version.o"));
    std::fs::write(&source, text).expect("the folder can be written");
    let program =
        std::env::var("WINDRES").unwrap_or_else(|_| "x86_64-w64-mingw32-windres".to_owned());
    let status = Command::new(&program).arg(&source).arg("-o").arg(&object).status();
    assert!(status.is_ok_and(|status| status.success()), "{program} fails");
    println!("cargo:rustc-link-arg-cdylib={}", object.display());
}

//! Files in the origin private file system. Where it is missing (private windows, old browsers) every
//! call says so, and the page keeps the workspace in memory.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions,
    FileSystemGetFileOptions, FileSystemRemoveOptions, FileSystemWritableFileStream, StorageEstimate,
};

use super::rpc::describe;

/// Why a file could not be kept or found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StorageError {
    /// No storage at all.
    #[error(
        "This browser keeps nothing here (a private window does this). The workspace lives until the tab closes."
    )]
    Absent,
    /// The quota is used up.
    #[error(
        "This browser's storage is full. Remove a database to make room; what is new lives until the tab closes."
    )]
    Full,
    /// Anything else.
    #[error("The file could not be kept: {0}")]
    Other(String),
}

fn failed(error: JsValue) -> StorageError {
    let name = js_sys::Reflect::get(&error, &"name".into()).ok().and_then(|n| n.as_string());
    match name.as_deref() {
        Some("QuotaExceededError") => StorageError::Full,
        Some("SecurityError" | "NotSupportedError" | "UnknownError" | "TypeError") => StorageError::Absent,
        _ => StorageError::Other(describe(&error)),
    }
}

async fn wait<T: JsCast>(promise: js_sys::Promise) -> Result<T, StorageError> {
    JsFuture::from(promise).await.map_err(failed)?.dyn_into().map_err(|_| StorageError::Absent)
}

async fn root() -> Result<FileSystemDirectoryHandle, StorageError> {
    let storage = web_sys::window().ok_or(StorageError::Absent)?.navigator().storage();
    if storage.is_undefined() || !js_sys::Reflect::has(&storage, &"getDirectory".into()).unwrap_or(false) {
        return Err(StorageError::Absent);
    }
    wait(storage.get_directory()).await
}

async fn folder(name: &str) -> Result<FileSystemDirectoryHandle, StorageError> {
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(true);
    wait(root().await?.get_directory_handle_with_options(name, &options)).await
}

/// Whether files can be kept here.
pub async fn works() -> bool {
    super::features::has(&["FileSystemFileHandle", "prototype", "createWritable"]) && root().await.is_ok()
}

/// The file `name` of a folder; None where it does not exist.
pub async fn read(folder_name: &str, name: &str) -> Option<File> {
    let folder = folder(folder_name).await.ok()?;
    let handle: FileSystemFileHandle = wait(folder.get_file_handle(name)).await.ok()?;
    wait(handle.get_file()).await.ok()
}

/// Writes a file whole; a reader sees the old or the new one.
///
/// # Errors
/// When nothing can be kept, or the quota is used up.
pub async fn write(folder_name: &str, name: &str, content: &Blob) -> Result<(), StorageError> {
    let folder = folder(folder_name).await?;
    let options = FileSystemGetFileOptions::new();
    options.set_create(true);
    let handle: FileSystemFileHandle = wait(folder.get_file_handle_with_options(name, &options)).await?;
    if !js_sys::Reflect::has(&handle, &"createWritable".into()).unwrap_or(false) {
        return Err(StorageError::Absent);
    }
    let stream: FileSystemWritableFileStream = wait(handle.create_writable()).await?;
    let written = async {
        JsFuture::from(stream.write_with_blob(content).map_err(failed)?).await.map_err(failed)?;
        JsFuture::from(stream.close()).await.map_err(failed)?;
        Ok(())
    };
    let result = written.await;
    if result.is_err() {
        let _ = JsFuture::from(stream.abort()).await;
    }
    result
}

/// Removes a whole folder; a missing one is no error.
pub async fn remove(folder_name: &str) {
    if let Ok(root) = root().await {
        let options = FileSystemRemoveOptions::new();
        options.set_recursive(true);
        let _ = JsFuture::from(root.remove_entry_with_options(folder_name, &options)).await;
    }
}

/// Removes a file; a missing one is no error.
pub async fn remove_file(folder_name: &str, name: &str) {
    if let Ok(folder) = folder(folder_name).await {
        let _ = JsFuture::from(folder.remove_entry(name)).await;
    }
}

/// Bytes used and granted in all, where the browser tells.
pub async fn estimate() -> Option<(u64, u64)> {
    let storage = web_sys::window()?.navigator().storage();
    if storage.is_undefined() {
        return None;
    }
    // A dictionary has no class that a cast could check.
    let estimate: StorageEstimate = JsFuture::from(storage.estimate().ok()?).await.ok()?.unchecked_into();
    Some((estimate.get_usage()? as u64, estimate.get_quota()? as u64))
}

/// A blob of these bytes.
///
/// # Errors
/// When the browser has no memory for it.
pub fn blob(bytes: &[u8]) -> Result<Blob, StorageError> {
    let parts = js_sys::Array::of1(&Uint8Array::from(bytes));
    Blob::new_with_u8_array_sequence(&parts).map_err(failed)
}

/// A blob of several, one after the other; the browser does not copy what is in files.
///
/// # Errors
/// When the browser has no memory for it.
pub fn joined(parts: &[Blob]) -> Result<Blob, StorageError> {
    let sequence: js_sys::Array = parts.iter().collect();
    Blob::new_with_blob_sequence(&sequence).map_err(failed)
}

/// The bytes from `start` to `end` of a blob or file.
///
/// # Errors
/// As [`bytes`].
pub async fn range(blob: &Blob, start: u64, end: u64) -> Result<Vec<u8>, StorageError> {
    bytes(&slice(blob, start, end)?).await
}

/// A part of a blob or file, not copied.
///
/// # Errors
/// When the browser refuses.
pub fn slice(blob: &Blob, start: u64, end: u64) -> Result<Blob, StorageError> {
    blob.slice_with_f64_and_f64(start as f64, end as f64).map_err(failed)
}

/// The bytes of a blob or file.
///
/// # Errors
/// When it cannot be read (a file that changed or vanished since it was picked).
pub async fn bytes(blob: &Blob) -> Result<Vec<u8>, StorageError> {
    let buffer: js_sys::ArrayBuffer = wait(blob.array_buffer()).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

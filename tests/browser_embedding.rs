//! The encoder in a browser worker: the CPU device gives the native vectors, WebGPU gives the CPU's.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used)]

use burn::tensor::Device;
use querylore::browser::gpu;
use querylore::embedding::TINY;
use querylore::embedding::encoder::agreement::{self, AGREEMENT};
use querylore::embedding::encoder::pooling::cosine;
use querylore::embedding::encoder::{Encoder, tiny};
use querylore::ports::Embed;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Texts and the first numbers of their vectors as computed natively.
const NATIVE: [(&str, [f32; 8]); 2] = [
    (
        "how many customers",
        [
            -0.006_489_513,
            0.237_293_51,
            0.094_550_29,
            -0.111_837_54,
            -0.152_805_24,
            0.078_740_336,
            -0.365_561_34,
            0.097_634_33,
        ],
    ),
    (
        "total sales by date, 2024",
        [
            0.016_805_006,
            0.375_550_5,
            0.082_397_886,
            -0.047_873_937,
            -0.049_988_184,
            0.087_079_89,
            -0.269_959_42,
            0.070_975_96,
        ],
    ),
];

async fn vectors(device: &Device) -> Vec<Vec<f32>> {
    let encoder = Encoder::load(&TINY, &tiny::weights(), tiny::vocabulary().as_bytes(), device).unwrap();
    let texts: Vec<String> = NATIVE.iter().map(|(text, _)| (*text).to_owned()).collect();
    encoder.embed(&texts).await.unwrap()
}

#[wasm_bindgen_test]
async fn the_cpu_gives_the_native_vectors() {
    for (vector, (text, native)) in vectors(&Device::flex()).await.iter().zip(NATIVE) {
        assert_eq!(vector.len(), 32);
        for (here, there) in vector.iter().zip(native) {
            assert!((here - there).abs() < 1e-5, "{text}: {here} {there}");
        }
    }
}

#[wasm_bindgen_test]
async fn webgpu_gives_the_vectors_of_the_cpu() {
    // burn's GPU compiler registers its parts in static constructors, which a program runs at its start.
    querylore::browser::start();
    let Some(adapter) = gpu::adapter().await else {
        console_log!("skipped: this browser offers no WebGPU adapter");
        return;
    };
    console_log!("adapter: {} (software: {})", adapter.name(), adapter.is_software());
    let gpu = gpu::device().await.unwrap();
    for (a, b) in vectors(&gpu).await.iter().zip(vectors(&Device::flex()).await) {
        let cosine = cosine(a, &b);
        assert!(cosine >= AGREEMENT, "{cosine}");
    }
    assert_eq!(agreement::check(&gpu).await, Ok(()));
}

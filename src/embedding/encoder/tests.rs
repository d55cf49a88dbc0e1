//! The encoder against itself on the tiny model, and against reference vectors where the files are.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::PathBuf;

use burn::tensor::Device;

use super::bert::{Bert, WeightsError};
use super::pooling::cosine;
use super::{Encoder, LoadError, tiny};
use crate::embedding::{ALL_MINILM_L6_V2, ALL_MPNET_BASE_V2, EncoderSpec, TINY, tokenizer, weights};
use crate::ports::EmbedError;
use crate::ports::blocking::block_on;

fn tiny_encoder() -> Encoder {
    Encoder::load(&TINY, &tiny::weights(), tiny::vocabulary().as_bytes(), &Device::flex()).unwrap()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

#[test]
fn vectors_do_not_depend_on_the_batch_company() {
    let encoder = tiny_encoder();
    let texts = strings(&[
        "",
        "how many customers",
        "how many customers",
        "total sales by date, 2024",
        "東京 😀",
        "what is the average of the total sales by customer and date where name is all",
        &"count ".repeat(10_000),
    ]);
    let together = encoder.embed_blocking(&texts).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        let alone = encoder.embed_blocking(std::slice::from_ref(text)).unwrap();
        assert!(largest_difference(&alone[0], vector) < 1e-5, "{text:.40}");
        assert!((vector.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert_eq!(together[1], together[2]);
    assert!(cosine(&together[1], &together[3]) < 0.999);
}

#[test]
fn word_order_matters() {
    let texts = strings(&["sales by customer", "customer by sales"]);
    let vectors = tiny_encoder().embed_blocking(&texts).unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) < 0.9999);
}

#[test]
fn no_texts_give_no_vectors() {
    assert_eq!(tiny_encoder().embed_blocking(&[]), Ok(Vec::new()));
}

#[test]
fn progress_counts_up_and_can_stop_the_work() {
    let encoder = tiny_encoder();
    let texts = strings(&["how many", "count", "sum of all sales by date", "name"]);
    let mut seen = Vec::new();
    let all = block_on(encoder.embed_batches(&texts, 8, async |progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    }));
    assert_eq!(all.unwrap().len(), 4);
    assert!(seen.len() > 1 && seen.windows(2).all(|pair| pair[0].tokens < pair[1].tokens));
    let last = seen.last().unwrap();
    assert_eq!((last.texts, last.tokens), (last.all_texts, last.all_tokens));

    let mut batches = 0;
    let stopped = block_on(encoder.embed_batches(&texts, 8, async |_| {
        batches += 1;
        ControlFlow::Break(())
    }));
    assert_eq!((stopped, batches), (Err(EmbedError::Cancelled), 1));
}

#[test]
fn half_precision_stays_close() {
    let half = weights::to_half(&tiny::weights()).unwrap();
    let half = Encoder::load(&TINY, &half, tiny::vocabulary().as_bytes(), &Device::flex()).unwrap();
    let texts = strings(&["how many customers", "total sales by date"]);
    let full = tiny_encoder().embed_blocking(&texts).unwrap();
    for (a, b) in full.iter().zip(half.embed_blocking(&texts).unwrap()) {
        assert!(cosine(a, &b) > 0.9999);
    }
}

#[test]
fn damaged_weights_are_refused() {
    let good = tiny::weights();
    let load = |bytes: &[u8]| Bert::load(bytes, TINY.bert, &Device::flex()).map(|_| ());
    assert_eq!(load(&good), Ok(()));
    for bytes in [&good[..good.len() - 1], &good[..100], &good[..3], &[], &[0xff; 64]] {
        assert!(matches!(load(bytes), Err(WeightsError::Damaged(_))));
    }
    // Any one byte of the header changed: an error or the same network, never a panic.
    let header = 8 + u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    for place in 0..header {
        let mut bytes = good.clone();
        bytes[place] ^= 0x11;
        let _ = load(&bytes);
    }
}

#[test]
fn foreign_files_are_named() {
    let vocabulary = tiny::vocabulary();
    let load = |bytes: &[u8], vocabulary: &str, spec| {
        Encoder::load(spec, bytes, vocabulary.as_bytes(), &Device::flex()).map(|_| ())
    };
    let other = {
        let data = [0u8; 8];
        let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![2], &data).unwrap();
        safetensors::serialize([("conv1.weight", view)], None).unwrap()
    };
    let missing = "embeddings.word_embeddings.weight".to_owned();
    assert_eq!(load(&other, &vocabulary, &TINY), Err(LoadError::Weights(WeightsError::Missing(missing))));
    assert!(matches!(
        load(&tiny::weights(), &vocabulary, &ALL_MINILM_L6_V2),
        Err(LoadError::Weights(WeightsError::Heads { hidden: 32, heads: 12 }))
    ));
    assert!(matches!(
        load(&tiny::weights(), &(vocabulary.clone() + "more\n"), &TINY),
        Err(LoadError::Weights(WeightsError::Vocabulary { .. }))
    ));
    assert!(matches!(load(&tiny::weights(), "", &TINY), Err(LoadError::Vocabulary(_))));
}

#[derive(serde::Deserialize)]
struct Golden {
    items: Vec<GoldenItem>,
}

#[derive(serde::Deserialize)]
struct GoldenItem {
    text: String,
    ids: Vec<u32>,
    embedding: Vec<f32>,
}

/// Reference vectors and files of an encoder, or a printed line that its test is skipped.
fn golden(spec: &EncoderSpec) -> Option<(Golden, weights::native::EncoderFiles)> {
    let data = std::env::var_os("QUERYLORE_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let golden = std::fs::read(data.join(format!("golden/{}.json", spec.name))).ok();
    let files = weights::native::cache_folder()
        .and_then(|cache| weights::native::read_encoder(&cache, spec.name).ok());
    match golden.zip(files) {
        Some((golden, files)) => Some((serde_json::from_slice(&golden).unwrap(), files)),
        None => {
            println!(
                "skipped: the reference vectors or the weights of {} are not on this machine",
                spec.name
            );
            None
        }
    }
}

fn agrees_with_the_reference(spec: &EncoderSpec) {
    let Some((golden, files)) = golden(spec) else { return };
    weights::verify(&files.weights, spec.weights_sha256.unwrap()).unwrap();
    let tokenizer = tokenizer::WordPiece::from_vocab(&files.vocabulary).unwrap();
    for item in &golden.items {
        assert_eq!(tokenizer.encode(&item.text, spec.max_tokens), item.ids, "{:?}", item.text);
    }
    let texts: Vec<String> = golden.items.iter().map(|item| item.text.clone()).collect();
    let embed = |bytes: &[u8]| {
        Encoder::load(spec, bytes, &files.vocabulary, &Device::flex())
            .unwrap()
            .embed_blocking(&texts)
            .unwrap()
    };
    let full = embed(&files.weights);
    let half = embed(&weights::to_half(&files.weights).unwrap());
    for ((item, full), half) in golden.items.iter().zip(&full).zip(&half) {
        let difference = largest_difference(&item.embedding, full);
        assert!(difference <= 1e-4, "{:?}: {difference}", item.text);
        assert!(cosine(&item.embedding, half) >= 0.9999, "{:?}", item.text);
    }
}

#[test]
fn minilm_agrees_with_the_reference() {
    agrees_with_the_reference(&ALL_MINILM_L6_V2);
}

#[test]
fn mpnet_agrees_with_the_reference() {
    agrees_with_the_reference(&ALL_MPNET_BASE_V2);
}

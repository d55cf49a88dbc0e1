//! The coded side of a search: queries in 16-bit codes, and sums of products of codes.

/// A query in 16-bit codes: fine enough that its own error hardly widens the bounds.
pub(super) struct CodedQuery {
    /// Codes, padded like those of the vectors.
    pub(super) codes: Vec<i16>,
    /// What one step of a code is worth.
    pub(super) scale: f32,
    /// Norm of the query.
    pub(super) norm: f32,
    /// Norm of what the codes lose.
    pub(super) error: f32,
}

impl CodedQuery {
    /// Codes a query of finite values.
    pub(super) fn new(query: &[f32], padded: usize) -> Self {
        // Largest code for which the sum over all dimensions stays within 32 bits.
        let most = (i32::MAX / (127 * padded as i32)).min(i32::from(i16::MAX)) as f32;
        let scale = query.iter().fold(0.0f32, |most, value| most.max(value.abs())) / most;
        let (mut codes, mut lost, mut norm) = (Vec::with_capacity(padded), 0.0f32, 0.0f32);
        for value in query {
            let code = if scale > 0.0 { (value / scale).round() } else { 0.0 };
            lost += (value - code * scale).powi(2);
            norm += value * value;
            codes.push(code as i16);
        }
        codes.resize(padded, 0);
        Self { codes, scale, norm: norm.sqrt(), error: lost.sqrt() }
    }
}

/// A vector's codes in 16 bits, as the products take them; both slices have the padded length.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code)]
pub(super) fn widen(codes: &[i8], wide: &mut [i16]) {
    use core::arch::wasm32::{i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, v128_load, v128_store};
    for (codes, wide) in codes.as_chunks::<16>().0.iter().zip(wide.as_chunks_mut::<16>().0) {
        // SAFETY: 16 codes of one byte are read, 16 of two bytes are written, at 0 and at 8, each inside an
        // array of 16. Neither instruction needs alignment.
        unsafe {
            let bytes = v128_load(codes.as_ptr().cast());
            v128_store(wide.as_mut_ptr().cast(), i16x8_extend_low_i8x16(bytes));
            v128_store(wide.as_mut_ptr().add(8).cast(), i16x8_extend_high_i8x16(bytes));
        }
    }
}

/// A vector's codes in 16 bits, as the products take them; both slices have the padded length.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) fn widen(codes: &[i8], wide: &mut [i16]) {
    for (wide, &code) in wide.iter_mut().zip(codes) {
        *wide = i16::from(code);
    }
}

/// Dot product of codes; both slices have the padded length.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code)]
pub(super) fn code_dot(codes: &[i16], query: &[i16]) -> i32 {
    use core::arch::wasm32::{i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat, v128_load};
    let mut sums = (i32x4_splat(0), i32x4_splat(0));
    for (codes, query) in codes.as_chunks::<16>().0.iter().zip(query.as_chunks::<16>().0) {
        // SAFETY: every load reads 16 bytes, 8 codes of two bytes, at 0 and at 8 of an array of 16 codes.
        // v128_load needs no alignment.
        let (first, second) = unsafe {
            (
                (v128_load(codes.as_ptr().cast()), v128_load(query.as_ptr().cast())),
                (v128_load(codes.as_ptr().add(8).cast()), v128_load(query.as_ptr().add(8).cast())),
            )
        };
        sums.0 = i32x4_add(sums.0, i32x4_dot_i16x8(first.0, first.1));
        sums.1 = i32x4_add(sums.1, i32x4_dot_i16x8(second.0, second.1));
    }
    let sum = i32x4_add(sums.0, sums.1);
    i32x4_extract_lane::<0>(sum)
        + i32x4_extract_lane::<1>(sum)
        + i32x4_extract_lane::<2>(sum)
        + i32x4_extract_lane::<3>(sum)
}

/// Dot product of codes; both slices have the padded length. Compilers turn this loop into SIMD.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) fn code_dot(codes: &[i16], query: &[i16]) -> i32 {
    codes.iter().zip(query).map(|(&code, &query)| i32::from(code) * i32::from(query)).sum()
}

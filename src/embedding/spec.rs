//! The encoders this crate knows, and the files they are made of.

/// Kinds of encoder that differ in their embeddings and attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// BERT.
    Bert,
    /// MPNet.
    MpNet,
}

/// What the weights file does not say about itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BertConfig {
    /// The kind of network.
    pub family: Family,
    /// Attention heads a layer.
    pub heads: usize,
    /// Added to the variance in every layer normalisation.
    pub layer_norm_eps: f64,
}

/// One sentence encoder: what its files do not say, and how to recognise them.
#[derive(Debug, Clone, PartialEq)]
pub struct EncoderSpec {
    /// Name, stored with every vector file.
    pub name: &'static str,
    /// Shape of the network beyond what the tensors' shapes tell.
    pub bert: BertConfig,
    /// Longest text in tokens, with the two special tokens; what is longer is cut.
    pub max_tokens: usize,
    /// Texts in one message of bulk work: about a second of work on one CPU thread, so that progress moves and a
    /// stop is quick.
    pub chunk: usize,
    /// SHA-256 of the published `model.safetensors`; none for an encoder made in code.
    pub weights_sha256: Option<&'static str>,
}

/// The default encoder: 6 layers of 384 units, 384-dimensional vectors.
pub const ALL_MINILM_L6_V2: EncoderSpec = EncoderSpec {
    name: "all-MiniLM-L6-v2",
    bert: BertConfig { family: Family::Bert, heads: 12, layer_norm_eps: 1e-12 },
    max_tokens: 256,
    chunk: 24,
    weights_sha256: Some("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
};

/// The encoder of BIRD-History (section 4): 12 layers of 768 units, 768-dimensional vectors.
pub const ALL_MPNET_BASE_V2: EncoderSpec = EncoderSpec {
    name: "all-mpnet-base-v2",
    bert: BertConfig { family: Family::MpNet, heads: 12, layer_norm_eps: 1e-5 },
    max_tokens: 384,
    chunk: 4,
    weights_sha256: Some("78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"),
};

/// The encoder of `encoder::tiny`: 2 layers of 32 units with random weights, for tests.
pub const TINY: EncoderSpec = EncoderSpec {
    name: "tiny",
    bert: BertConfig { family: Family::Bert, heads: 4, layer_norm_eps: 1e-12 },
    max_tokens: 64,
    chunk: 24,
    weights_sha256: None,
};

impl EncoderSpec {
    /// The encoder of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        [&ALL_MINILM_L6_V2, &ALL_MPNET_BASE_V2, &TINY].into_iter().find(|spec| spec.name == name)
    }
}

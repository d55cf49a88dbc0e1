//! Which device an encoder runs on: a real GPU where there is one, else the CPU.

use serde::{Deserialize, Serialize};

/// What the user wants the encoder to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DevicePreference {
    /// A real GPU, else the CPU.
    #[default]
    Auto,
    /// The CPU, always.
    Cpu,
    /// The GPU, even one emulated in software; the CPU only when there is none at all.
    GpuForced,
}

/// What the browser says about a WebGPU adapter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Adapter {
    /// Maker, such as `nvidia`.
    pub vendor: String,
    /// Family, such as `ampere`.
    pub architecture: String,
    /// Name for people, often empty.
    pub description: String,
    /// The browser marks it as a slow stand-in for a GPU.
    pub fallback: bool,
}

impl Adapter {
    /// Whether the adapter is a program on the CPU: about a hundred times slower than burn's own CPU
    /// kernels, so never worth choosing.
    pub fn is_software(&self) -> bool {
        let names = [&self.vendor, &self.architecture, &self.description];
        let software = ["swiftshader", "llvmpipe", "lavapipe", "softpipe", "basic render", "software"];
        self.fallback
            || names.iter().any(|name| {
                let name = name.to_lowercase();
                software.iter().any(|word| name.contains(word))
            })
    }

    /// Name for people.
    pub fn name(&self) -> String {
        if !self.description.is_empty() {
            return self.description.clone();
        }
        let parts: Vec<&str> = [self.vendor.as_str(), self.architecture.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        if parts.is_empty() { "unnamed GPU".to_owned() } else { parts.join(" ") }
    }
}

/// The kind of device chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Burn's CPU kernels with SIMD.
    Cpu,
    /// WebGPU.
    Gpu,
}

impl Backend {
    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "WebGPU",
        }
    }
}

/// Chooses between GPU and CPU; with the reason where the user asked for a GPU and does not get one.
pub fn choose(preference: DevicePreference, adapter: Option<&Adapter>) -> (Backend, Option<String>) {
    match (preference, adapter) {
        (DevicePreference::Cpu, _) => (Backend::Cpu, None),
        (DevicePreference::GpuForced, None) => {
            (Backend::Cpu, Some("This browser offers no WebGPU adapter: the CPU is used.".to_owned()))
        }
        (DevicePreference::GpuForced, Some(_)) => (Backend::Gpu, None),
        (DevicePreference::Auto, Some(adapter)) if !adapter.is_software() => (Backend::Gpu, None),
        (DevicePreference::Auto, _) => (Backend::Cpu, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(vendor: &str, description: &str, fallback: bool) -> Adapter {
        Adapter {
            vendor: vendor.to_owned(),
            architecture: String::new(),
            description: description.to_owned(),
            fallback,
        }
    }

    #[test]
    fn software_adapters_are_recognised() {
        assert!(adapter("google", "", true).is_software());
        assert!(adapter("google", "SwiftShader Device (LLVM)", false).is_software());
        assert!(adapter("mesa", "llvmpipe (LLVM 15)", false).is_software());
        assert!(!adapter("nvidia", "", false).is_software());
        assert_eq!(adapter("nvidia", "", false).name(), "nvidia");
        assert_eq!(Adapter::default().name(), "unnamed GPU");
    }

    #[test]
    fn a_software_adapter_is_used_only_when_forced() {
        use DevicePreference::{Auto, Cpu, GpuForced};
        let (real, software) = (adapter("apple", "", false), adapter("google", "swiftshader", true));
        assert_eq!(choose(Auto, Some(&real)), (Backend::Gpu, None));
        assert_eq!(choose(Auto, Some(&software)), (Backend::Cpu, None));
        assert_eq!(choose(Auto, None), (Backend::Cpu, None));
        assert_eq!(choose(Cpu, Some(&real)), (Backend::Cpu, None));
        assert_eq!(choose(GpuForced, Some(&software)), (Backend::Gpu, None));
        let (backend, notice) = choose(GpuForced, None);
        assert_eq!(backend, Backend::Cpu);
        assert!(notice.is_some());
    }
}

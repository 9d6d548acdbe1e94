//! Numbers that follow one another at random, the same in every run: a linear congruence, which the recorded answers
//! belong to.

/// A sequence, by its state.
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 24) as f32
    }

    pub fn pick(&mut self, from: &[f32]) -> f32 {
        from[self.word() as usize % from.len()]
    }
}

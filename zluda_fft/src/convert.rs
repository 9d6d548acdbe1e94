//! Arguments from C: pointers with a meaning, and enumerations.

use cuda_types::cufft::{CufftResult, cudaDataType, cufftError, cufftType};
use fourier::{Element, Kind};

zluda_api::conversions!(cufftError);

/// The types of a transform's input, output and arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) element: Element,
}

impl FromC<cufftType> for Type {
    unsafe fn from_c(ty: cufftType) -> CufftResult<Self> {
        let (kind, element) = match ty {
            cufftType::CUFFT_C2C => (Kind::Complex, Element::F32),
            cufftType::CUFFT_R2C => (Kind::RealToComplex, Element::F32),
            cufftType::CUFFT_C2R => (Kind::ComplexToReal, Element::F32),
            cufftType::CUFFT_Z2Z => (Kind::Complex, Element::F64),
            cufftType::CUFFT_D2Z => (Kind::RealToComplex, Element::F64),
            cufftType::CUFFT_Z2D => (Kind::ComplexToReal, Element::F64),
            _ => return Err(cufftError::INVALID_TYPE),
        };
        Ok(Type { kind, element })
    }
}

/// A number's type: of a real one, or of both parts of a complex one.
fn number(ty: cudaDataType) -> CufftResult<(bool, Element)> {
    Ok(match ty {
        cudaDataType::CUDA_R_16F => (false, Element::F16),
        cudaDataType::CUDA_C_16F => (true, Element::F16),
        cudaDataType::CUDA_R_16BF => (false, Element::BF16),
        cudaDataType::CUDA_C_16BF => (true, Element::BF16),
        cudaDataType::CUDA_R_32F => (false, Element::F32),
        cudaDataType::CUDA_C_32F => (true, Element::F32),
        cudaDataType::CUDA_R_64F => (false, Element::F64),
        cudaDataType::CUDA_C_64F => (true, Element::F64),
        _ => return Err(cufftError::INVALID_TYPE),
    })
}

impl Type {
    /// Of the types of `cufftXtMakePlanMany`, which are of one precision; at least one side is complex.
    pub(crate) fn of(
        input: cudaDataType,
        output: cudaDataType,
        execution: cudaDataType,
    ) -> CufftResult<Type> {
        let ((input, element), (output, to)) = (number(input)?, number(output)?);
        let (_, computed) = number(execution)?;
        if to != element || computed != element {
            return Err(cufftError::INVALID_TYPE);
        }
        let kind = match (input, output) {
            (true, true) => Kind::Complex,
            (false, true) => Kind::RealToComplex,
            (true, false) => Kind::ComplexToReal,
            (false, false) => return Err(cufftError::INVALID_TYPE),
        };
        Ok(Type { kind, element })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudaDataType as D;

    #[test]
    fn types_are_of_one_precision_and_not_all_real() {
        let complex = |element| Ok(Type { kind: Kind::Complex, element });
        assert_eq!(Type::of(D::CUDA_C_32F, D::CUDA_C_32F, D::CUDA_C_32F), complex(Element::F32));
        assert_eq!(Type::of(D::CUDA_C_16F, D::CUDA_C_16F, D::CUDA_C_16F), complex(Element::F16));
        let real = Type::of(D::CUDA_R_64F, D::CUDA_C_64F, D::CUDA_R_64F);
        assert_eq!(real, Ok(Type { kind: Kind::RealToComplex, element: Element::F64 }));
        for wrong in [
            (D::CUDA_R_32F, D::CUDA_R_32F, D::CUDA_C_32F),
            (D::CUDA_C_32F, D::CUDA_C_64F, D::CUDA_C_64F),
            (D::CUDA_C_16F, D::CUDA_C_16F, D::CUDA_C_32F),
            (D::CUDA_C_8I, D::CUDA_C_8I, D::CUDA_C_8I),
            (cudaDataType(99), D::CUDA_C_32F, D::CUDA_C_32F),
        ] {
            assert_eq!(Type::of(wrong.0, wrong.1, wrong.2), Err(cufftError::INVALID_TYPE));
        }
    }
}

//! The instruction tables against ptxas, NVIDIA's assembler: what it takes we take, what it refuses we
//! refuse. Start reading at [`audit`]: [`generate`] and [`mutate`] write instructions, right ones and wrong
//! ones, [`judge`] asks ptxas and our parser, [`report`] writes the tables of docs/user/ptx_support.md.

pub mod audit;
pub mod environment;
pub mod generate;
pub mod grammar;
pub mod judge;
pub mod mutate;
pub mod operand;
pub mod random;
pub mod report;

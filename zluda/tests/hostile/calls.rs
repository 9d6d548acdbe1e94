//! Every declared function of the API.

use cuda_types::cuda::*;

exported::functions!(cuda);

//! Every function with arguments that are wrong: a status, and no crash.

use cuda_types::cudnn8::*;
use exported::networks::{Statuses, assert_wrong_arguments_have_a_status};

exported::functions!(cudnn8);

#[test]
fn wrong_arguments_have_a_status() {
    let statuses = Statuses {
        wrong: |status| status == 3 || status == 9,
        known: |status| RESULT_NAMES.iter().any(|(known, _)| known.0 == status),
        bad_param: cudnnStatus_t::CUDNN_STATUS_BAD_PARAM.0,
    };
    assert_wrong_arguments_have_a_status("libzluda_dnn8.so", FUNCTIONS, &statuses);
}

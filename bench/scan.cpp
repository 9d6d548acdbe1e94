#include "scan.h"
#include "sizes.h"

int main() {
    auto values = random_integers<int>(SCAN_COUNT, 1000, 1);
    std::vector<int> sums(SCAN_COUNT);
    auto work = [&] { scan(values.data(), sums.data(), SCAN_COUNT); };
    measure("scan_shuffles", work, [&] { return checksum_of(sums); });
}

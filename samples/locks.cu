// A lock that the threads of one warp fight over: it needs independent thread scheduling, since the thread
// that holds the lock must get on while its neighbours wait.
// sample: machine_code = loops that leave in the middle, and fences
#include "sample.h"

struct Account {
    int lock;
    int balance;
    int owner_changes;
    int last_owner;
};

__device__ void deposit(Account *account, int amount, int owner) {
    while (atomicCAS(&account->lock, 0, 1) != 0) {
    }
    __threadfence();
    volatile Account *held = account;
    held->balance = held->balance + amount;
    if (held->last_owner != owner) held->owner_changes = held->owner_changes + 1;
    held->last_owner = owner;
    __threadfence();
    atomicExch(&account->lock, 0);
}

__global__ void deposits(Account *accounts, int accounts_count, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) deposit(&accounts[(i + round) % accounts_count], i, i);
}

// The lock is taken once, by some of the threads, and the kernel ends behind it.
__global__ void last_deposit(Account *account) {
    if (threadIdx.x % 3 == 1) return;
    deposit(account, 1, threadIdx.x);
    account[1 + threadIdx.x].balance = 5;
}

int main() {
    const int accounts_count = 5, threads = 96, rounds = 4;
    std::vector<Account> start(accounts_count, Account{0, 0, 0, -1});
    DeviceArray<Account> accounts(start);
    deposits<<<2, threads / 2>>>(accounts.get(), accounts_count, rounds);
    CUDA_FINISH();

    auto end = accounts.to_host();
    std::vector<int> expected(accounts_count, 0), visits(accounts_count, 0);
    for (int i = 0; i < threads; ++i)
        for (int round = 0; round < rounds; ++round) {
            expected[(i + round) % accounts_count] += i;
            visits[(i + round) % accounts_count] += 1;
        }
    for (int account = 0; account < accounts_count; ++account) {
        expect_equal("balance", end[account].balance, expected[account]);
        // Rounds are fewer than accounts: no thread visits an account twice.
        expect_equal("owners", end[account].owner_changes, visits[account]);
        expect_equal("lock", end[account].lock, 0);
    }

    const int rivals = 48;
    DeviceArray<Account> last(1 + rivals);
    last.fill_bytes(0);
    last_deposit<<<1, rivals>>>(last.get());
    CUDA_FINISH();
    end = last.to_host();
    expect_equal("balance behind the last lock", end[0].balance, rivals - rivals / 3);
    for (int i = 0; i < rivals; ++i) expect_equal("behind the lock", end[1 + i].balance, i % 3 == 1 ? 0 : 5);
    return pass("locks");
}

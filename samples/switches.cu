// Control flow made of switches: each thread interprets its own program for a small stack machine, and a state
// machine with jumps between its states.
// sample: machine_code = jumps by tables in bank 2
#include "sample.h"

enum Instruction : unsigned char {
    PUSH, ADD, SUBTRACT, MULTIPLY, DUPLICATE, SWAP, DROP, OVER, NEGATE, AND, OR, XOR, SHIFT, LESS, EQUAL, NOT,
    SKIP_IF_ZERO, BACK_WHILE_POSITIVE, ROTATE, HALT, INSTRUCTIONS
};

__host__ __device__ inline int interpret(const unsigned char *program, int length, int input) {
    int stack[12] = {input, 1, 2};
    int top = 3, steps = 0;
    for (int pc = 0; pc < length && steps < 120; ++pc, ++steps) {
        // Keep the stack between 3 and 10 deep, whatever the program.
        if (top < 3) stack[top++] = steps;
        if (top > 10) top = 10;
        int &a = stack[top - 2], &b = stack[top - 1];
        switch (program[pc] % INSTRUCTIONS) {
        case PUSH: stack[top++] = program[pc] + steps; break;
        case ADD: a = int(unsigned(a) + unsigned(b)); --top; break;
        case SUBTRACT: a = int(unsigned(a) - unsigned(b)); --top; break;
        case MULTIPLY: a = int(unsigned(a) * unsigned(b)); --top; break;
        case DUPLICATE: stack[top] = b; ++top; break;
        case SWAP: { int swap = a; a = b; b = swap; break; }
        case DROP: --top; break;
        case OVER: stack[top] = a; ++top; break;
        case NEGATE: b = int(0u - unsigned(b)); break;
        case AND: a &= b; --top; break;
        case OR: a |= b; --top; break;
        case XOR: a ^= b; --top; break;
        case SHIFT: b = int(unsigned(b) << 3 | unsigned(b) >> 29); break;
        case LESS: a = a < b; --top; break;
        case EQUAL: a = a == b; --top; break;
        case NOT: b = ~b; break;
        case SKIP_IF_ZERO: if (b == 0) ++pc; break;
        case BACK_WHILE_POSITIVE:
            if (b > 0 && pc > 4) {
                --b;
                pc -= 4;
            }
            break;
        case ROTATE: { int third = stack[top - 3]; stack[top - 3] = a; a = b; b = third; break; }
        case HALT: return int(unsigned(b) * 31u + unsigned(steps));
        }
    }
    return int(unsigned(stack[top - 1]) ^ unsigned(steps) << 8);
}

// Tokens of a text: jumps into, out of and between the states.
__host__ __device__ inline int tokens(const char *text, int length) {
    int words = 0, numbers = 0, strings = 0, others = 0, i = 0;
start:
    if (i >= length) goto end;
    switch (text[i]) {
    case ' ': ++i; goto start;
    case '"': ++i; goto string;
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        ++numbers;
        goto number;
    default:
        if (text[i] >= 'a' && text[i] <= 'z') {
            ++words;
            goto word;
        }
        ++others;
        ++i;
        goto start;
    }
word:
    while (i < length && ((text[i] >= 'a' && text[i] <= 'z') || text[i] == '_')) ++i;
    if (i < length && text[i] >= '0' && text[i] <= '9') goto number;
    goto start;
number:
    while (i < length && text[i] >= '0' && text[i] <= '9') ++i;
    if (i < length && text[i] == '.') {
        ++i;
        goto number;
    }
    if (i < length && text[i] == '_') goto word;
    goto start;
string:
    if (i >= length) goto end;
    if (text[i] == '\\') i += 2;
    else if (text[i++] == '"') {
        ++strings;
        goto start;
    }
    goto string;
end:
    return words + 100 * numbers + 10000 * strings + 1000000 * others;
}

__global__ void run(const unsigned char *programs, int length, int *results, const char *texts, int text_length,
                    int *token_counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    results[i] = interpret(programs + i * length, length, i);
    token_counts[i] = tokens(texts + i * text_length, text_length);
}

int main() {
    const int count = 160, length = 40, text_length = 50;
    Random random(22);
    std::vector<unsigned char> programs(count * length);
    for (auto &byte : programs) byte = random.next();
    const char alphabet[] = "abz_019. \"\"\\+   xyz";
    std::vector<char> texts(count * text_length);
    for (auto &c : texts) c = alphabet[random.next() % (sizeof(alphabet) - 1)];
    DeviceArray<unsigned char> device_programs(programs);
    DeviceArray<char> device_texts(texts);
    DeviceArray<int> results(count), token_counts(count);
    run<<<5, count / 5>>>(device_programs.get(), length, results.get(), device_texts.get(), text_length,
                          token_counts.get());
    CUDA_FINISH();
    std::vector<int> expected(count), expected_tokens(count);
    for (int i = 0; i < count; ++i) {
        expected[i] = interpret(&programs[i * length], length, i);
        expected_tokens[i] = tokens(&texts[i * text_length], text_length);
    }
    expect_equal("stack machine", results.to_host(), expected);
    expect_equal("tokens", token_counts.to_host(), expected_tokens);
    return pass("switches");
}

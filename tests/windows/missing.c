// Imports a DLL that is nowhere.

__declspec(dllimport) int gone(void);

int main(void) { return gone(); }

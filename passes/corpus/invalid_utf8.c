int ÿþ = "Ã("; // €
void fð(void) { g(ÿ, 1); }

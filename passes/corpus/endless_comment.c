int x; /* never ends
int y; // \
int z;
int unused(int a, int b) {
    return a + b;
}

int needle(int a) {
    return 1;
}

int main(void) {
    return needle(3);
}

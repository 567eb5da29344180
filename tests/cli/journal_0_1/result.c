int needle(int a) {
    return 1;
}

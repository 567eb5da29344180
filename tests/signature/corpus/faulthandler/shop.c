/* An extension of Python with mistakes: what faulthandler reports. */
#include <Python.h>

static PyObject *price(PyObject *self, PyObject *item) {
    (void)self;
    return PyLong_FromLong(*(int *)PyLong_AsVoidPtr(item));
}

static PyObject *halt(PyObject *self, PyObject *ignored) {
    (void)self, (void)ignored;
    abort();
}

static PyObject *share(PyObject *self, PyObject *parts) {
    (void)self;
    return PyLong_FromLong(12 / PyLong_AsLong(parts));
}

static PyMethodDef methods[] = {
    {"price", price, METH_O, ""}, {"halt", halt, METH_NOARGS, ""}, {"share", share, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "shop", NULL, -1, methods, 0, 0, 0, 0};

PyMODINIT_FUNC PyInit_shop(void) { return PyModule_Create(&module); }

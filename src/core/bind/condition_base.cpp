// What every condition holds, and its hash: a base class for Python's classes of conditions.
//
// A tree may have a million conditions, and they stay as long as its explainer. In native code,
// their hash costs a tenth of what a method in Python does. And the search for cycles of garbage
// does not follow what is held here, texts and numbers, which lead nowhere: with a million
// conditions that is most of its time.
#include <nanobind/nanobind.h>
#include <structmember.h>

#include <cstddef>

#include "bind/bind.hpp"

namespace cattleya::bind {

namespace nb = nanobind;

namespace {

struct ConditionBase {
    PyObject_HEAD;
    PyObject* feature;
    PyObject* index;
    PyObject* text;
    Py_ssize_t hash;
};

void destroy(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    auto* own = reinterpret_cast<ConditionBase*>(self);
    Py_CLEAR(own->feature);
    Py_CLEAR(own->index);
    Py_CLEAR(own->text);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

Py_hash_t hash_of(PyObject* self) {
    const Py_hash_t hash = reinterpret_cast<ConditionBase*>(self)->hash;
    return hash == -1 ? -2 : hash;  // -1 would be an error
}

}  // namespace

void register_condition_base(nb::module_& m) {
    static PyMemberDef fields[] = {
        {"feature", T_OBJECT_EX, offsetof(ConditionBase, feature), 0, nullptr},
        {"index", T_OBJECT_EX, offsetof(ConditionBase, index), 0, nullptr},
        {"_text", T_OBJECT_EX, offsetof(ConditionBase, text), 0, nullptr},
        {"_hash", T_PYSSIZET, offsetof(ConditionBase, hash), 0, nullptr},
        {nullptr, 0, 0, 0, nullptr}};
    static PyType_Slot slots[] = {
        {Py_tp_doc, const_cast<char*>("What every condition holds, and its hash.")},
        {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
        {Py_tp_hash, reinterpret_cast<void*>(hash_of)},
        {Py_tp_members, fields},
        {0, nullptr}};
    static PyType_Spec spec = {"cattleya._core.ConditionBase", sizeof(ConditionBase), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    const nb::object made = nb::steal(PyType_FromSpec(&spec));
    if (!made.is_valid()) throw nb::python_error();
    m.attr("ConditionBase") = made;
}

}  // namespace cattleya::bind

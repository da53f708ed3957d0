#include "kernels.h"

EXPORT void sdtext_free(Array *array)
{
    free(array->data);
    array->data = NULL;
    array->count = 0;
}

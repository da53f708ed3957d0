#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    for (int i = 2; i < count; i++) {
        if (!dlsym(library, words[i])) return puts(dlerror()), 1;
        puts(words[i]);
    }
    long long (*function)(void) = (long long (*)(void)) dlsym(library, "sdtext_instruction_set");
    return function() < 0;
}

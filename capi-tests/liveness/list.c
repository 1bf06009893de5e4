/* A server that keeps a sorted list: reads a key a byte, answers with all of them. */
#include <stdlib.h>
#include <unistd.h>

struct node {
    int key;
    struct node *next;
};

static struct node *head;

static void insert(int key)
{
    struct node **at = &head;
    while (*at && (*at)->key < key) at = &(*at)->next;
    if (*at && (*at)->key == key) return;
    struct node *made = malloc(sizeof *made);
    made->key = key;
    made->next = *at;
    *at = made;
}

int main(void)
{
    char key, all[256];
    while (read(0, &key, 1) == 1) {
        size_t length = 0;
        insert(key);
        for (struct node *node = head; node; node = node->next) all[length++] = (char)node->key;
        all[length++] = '\n';
        if (write(1, all, length) != (ssize_t)length) return 1;
    }
    return 0;
}

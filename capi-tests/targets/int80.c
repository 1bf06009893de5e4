/* # expect: verdict=error word=0x80
 *
 * Enters the kernel through int 0x80, where 20 is getpid and the numbers are those
 * of another architecture.
 */
int main(void)
{
    long answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(20L) : "memory");
    return answer > 0 ? 0 : 9;
}

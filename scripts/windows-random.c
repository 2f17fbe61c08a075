/* bcryptprimitives.dll for wines that have none: the one function of it that programs in Rust call. */
#include <windows.h>
#include <ntsecapi.h>

BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    const SIZE_T most = 1 << 20;
    for (SIZE_T done = 0; done < count; done += most) {
        SIZE_T rest = count - done;
        if (!RtlGenRandom(bytes + done, (ULONG)(rest < most ? rest : most))) {
            return FALSE;
        }
    }
    return TRUE;
}

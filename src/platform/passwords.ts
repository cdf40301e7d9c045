import { hash, verify } from '@node-rs/argon2'
import type { Passwords } from '../kernel/ports.ts'

/** argon2id with the library's defaults (19 MiB, 2 passes), which are the recommended minimum for servers. */
export async function argonPasswords(): Promise<Passwords> {
  const nobody = await hash('nobody has this password')
  return {
    hash: (password) => hash(password),
    async verify(known, password) {
      const right = await verify(known ?? nobody, password).catch(() => false)
      return right && known !== null
    },
  }
}

import { hash, verify } from '@node-rs/argon2'
import type { PasswordHasher } from '../kernel/ports.ts'

/** Creates the password hasher: argon2id with the library's defaults (19 MiB, 2 passes), the recommended minimum for servers. */
export async function createPasswordHasher(): Promise<PasswordHasher> {
  const dummyHash = await hash('dummy password for unknown users')
  return {
    hash: (password) => hash(password),
    async verify(known, password) {
      const matches = await verify(known ?? dummyHash, password).catch(() => false)
      return matches && known !== null
    },
  }
}

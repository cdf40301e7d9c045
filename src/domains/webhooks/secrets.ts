import { randomBytes } from 'node:crypto'
import { type DerivedKeys, Secret } from '../../kernel/secrets.ts'
import type { EncryptedSigningSecret } from './tables.ts'

const LABEL = 'webhook secret'
const PREFIX = 'whsec_'

interface EndpointKey {
  tenantId: number
  endpointId: string
}

/** Returns the associated data of the encryption, which ensures that a signing secret can be decrypted only for its own endpoint. */
const sealingContext = ({ tenantId, endpointId }: EndpointKey) => `${tenantId}/${endpointId}`

/** Creates a signing secret of 256 random bits. */
export const createSigningSecret = (): Secret => new Secret(PREFIX + randomBytes(32).toString('base64'))

export const encryptSigningSecret = (keys: DerivedKeys, of: EndpointKey, secret: Secret): EncryptedSigningSecret => ({
  sealed: keys.seal(LABEL, secret.reveal(), sealingContext(of)),
})

/** Decrypts a signing secret. Null if the master key that encrypted it is no longer configured. */
export function decryptSigningSecret(keys: DerivedKeys, of: EndpointKey, { sealed }: EncryptedSigningSecret): Secret | null {
  const opened = keys.open(LABEL, sealed, sealingContext(of))
  return opened && new Secret(opened.toString('utf8'))
}

/** Decrypts the secrets that messages are currently signed with, the newest first. */
export const decryptCurrentSigningSecrets = (
  keys: DerivedKeys,
  of: EndpointKey,
  kept: readonly EncryptedSigningSecret[],
  now: Date,
): Secret[] =>
  kept.filter(({ until }) => until === undefined || new Date(until) > now).flatMap((one) => decryptSigningSecret(keys, of, one) ?? [])

/** Returns the HMAC key of a signing secret: the base64 part after the prefix. */
export const toHmacKeyBytes = (secret: Secret): Buffer => Buffer.from(secret.reveal().slice(PREFIX.length), 'base64')

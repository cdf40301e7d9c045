import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { DerivedKeys } from './secrets.ts'

/** The fixed beginning of an Ed25519 private key in PKCS #8; the 32 bytes of the seed follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key that signs the badges of one event. It is derived, so that no key has to be stored. */
function signingKey(keys: DerivedKeys, eventId: string): KeyObject {
  const seed = createHmac('sha256', keys.key('badge signature')).update(eventId).digest()
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
}

/** The text of a badge's QR code: id, event code and an Ed25519 signature of both, with which an offline door verifies the badge. */
export function createBadgePayload(keys: DerivedKeys, event: { id: string; code: string }, badgeId: string, delimiter = '|'): string {
  const signature = sign(null, Buffer.from(`${badgeId}|${event.code}`), signingKey(keys, event.id)).toString('base64url')
  return [badgeId, event.code, signature].join(delimiter)
}

/** The public key of an event's badges: 32 bytes in base64url. */
export const getBadgePublicKey = (keys: DerivedKeys, eventId: string): string =>
  createPublicKey(signingKey(keys, eventId)).export({ format: 'jwk' }).x!

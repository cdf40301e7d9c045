import { randomBytes } from 'node:crypto'
import { type Keys, Secret } from '../../kernel/secrets.ts'
import type { KeptSecret } from './tables.ts'

const LABEL = 'webhook secret'
const PREFIX = 'whsec_'

interface Of {
  tenantId: number
  endpointId: string
}

/** Opens for this endpoint only. */
const place = ({ tenantId, endpointId }: Of) => `${tenantId}/${endpointId}`

/** 256 random bits, shown once. */
export const newSigningSecret = (): Secret => new Secret(PREFIX + randomBytes(32).toString('base64'))

export const keptSecret = (keys: Keys, of: Of, secret: Secret): KeptSecret => ({ sealed: keys.seal(LABEL, secret.reveal(), place(of)) })

/** Null for one that was sealed under a master key that is gone. */
export function openSecret(keys: Keys, of: Of, { sealed }: KeptSecret): Secret | null {
  const opened = keys.open(LABEL, sealed, place(of))
  return opened && new Secret(opened.toString('utf8'))
}

/** Those that sign at this moment, the one that is shown first. */
export const liveSecrets = (keys: Keys, of: Of, kept: readonly KeptSecret[], now: Date): Secret[] =>
  kept.filter(({ until }) => until === undefined || new Date(until) > now).flatMap((one) => openSecret(keys, of, one) ?? [])

/** The bytes that sign: what stands after the prefix. */
export const signingBytes = (secret: Secret): Buffer => Buffer.from(secret.reveal().slice(PREFIX.length), 'base64')

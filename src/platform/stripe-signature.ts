import { createHmac } from 'node:crypto'
import { sameBytes, type Secret } from '../kernel/secrets.ts'

const TOLERANCE_SECONDS = 300

/** Whether Stripe signed this body, and lately. While its secret is being changed it sends a signature for each. */
export function isSignedByStripe(secret: Secret, body: string, header: string, at: Date): boolean {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const stamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(stamp) || Math.abs(at.getTime() / 1000 - Number(stamp)) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', secret.reveal()).update(`${stamp}.${body}`).digest()
  return parts.some(([name, value = '']) => name === 'v1' && sameBytes(Buffer.from(value, 'hex'), expected))
}

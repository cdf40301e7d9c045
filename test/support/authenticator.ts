const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes the secret that the two-factor setup page shows, as an authenticator app stores it. */
export function decodeShownSecret(html: string): Buffer {
  const shown = /id="secret"[^>]*>([A-Z2-7 ]+)</.exec(html)![1]!.replaceAll(' ', '')
  const bits = [...shown].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

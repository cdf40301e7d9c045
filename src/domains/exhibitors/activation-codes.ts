import { randomBytes } from 'node:crypto'
import { type Keys, Secret } from '../../kernel/secrets.ts'

/** Crockford's: without letters that are read as others. */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BYTES = 10
const LABEL = 'activation code'

/** 80 random bits as 16 signs, in fours. */
export function newActivationCode(): Secret {
  let bits = BigInt(`0x${randomBytes(BYTES).toString('hex')}`)
  let code = ''
  for (let i = 0; i < 16; i++) {
    code = SIGNS[Number(bits & 31n)]! + code
    bits >>= 5n
  }
  return new Secret(code.replace(/(.{4})(?=.)/g, '$1-'))
}

/** As it is compared: without case and dashes. */
const plain = (code: Secret) => code.reveal().replaceAll('-', '').toUpperCase()

const place = (companyId: string) => `company ${companyId}`

/** What is kept of a code: sealed, to be shown again to those who may see it, and signed, to be found by. */
export const keptCode = (keys: Keys, companyId: string, code: Secret) => ({
  activation_code: keys.seal(LABEL, code.reveal(), place(companyId)),
  activation_hmac: keys.sign(LABEL, plain(code)),
})

/** What a company is found by when somebody shows its code; several while the master key is being changed. */
export const signaturesOf = (keys: Keys, code: Secret): string[] => keys.everySignature(LABEL, plain(code))

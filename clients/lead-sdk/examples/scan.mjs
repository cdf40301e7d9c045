// node scan.mjs https://events.example.org demo acme summit-2027 XXXX-XXXX-XXXX-XXXX "<what the scanner read>"
// The activation code 0 opens the test event: then the three codes before it may be anything.
import { LeadClient, LeadError } from '../lib/index.js'

const [baseUrl = 'http://localhost:3000', tenantCode = 'any', clientCode = 'any', eventCode = 'any', activationCode = '0', badge = '0'] =
  process.argv.slice(2)

const client = new LeadClient({ baseUrl, tenantCode, clientCode, eventCode, activationCode })

try {
  const { fields, customFields, captures } = await client.scan(badge)
  console.log(`${fields.firstName} ${fields.lastName}, scanned ${captures} times`)
  for (const [name, value] of Object.entries(fields)) console.log(`  ${name}: ${value}`)
  for (const { label, value } of customFields) console.log(`  ${label}: ${value}`)
} catch (error) {
  if (!(error instanceof LeadError)) throw error
  console.error(`${error.code} (${error.status}): ${error.message}`)
  process.exitCode = 1
}

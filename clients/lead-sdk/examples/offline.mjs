// Reads one badge per line and sends them in order; what could not be sent waits in the file leads.json for the next start.
// node offline.mjs https://events.example.org demo acme summit-2027 XXXX-XXXX-XXXX-XXXX < badges.txt
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { LeadClient, LeadQueue } from '../lib/index.js'

const [baseUrl = 'http://localhost:3000', tenantCode = 'any', clientCode = 'any', eventCode = 'any', activationCode = '0'] =
  process.argv.slice(2)

const FILE = 'leads.json'
const store = {
  getItem() {
    try {
      return readFileSync(FILE, 'utf8')
    } catch {
      return null
    }
  },
  setItem: (_key, value) => writeFileSync(FILE, value),
}

const queue = new LeadQueue(new LeadClient({ baseUrl, tenantCode, clientCode, eventCode, activationCode }), { store })

for await (const badge of createInterface({ input: process.stdin })) {
  if (badge === '') continue
  queue.add(badge)
  const { sent, stopped } = await queue.flush()
  for (const one of sent)
    console.log('lead' in one ? `${one.lead.fields.firstName} ${one.lead.fields.lastName}` : `${one.badge}: ${one.error.message}`)
  if (stopped) console.log(`${stopped.message}: ${queue.pending.length} waiting`)
}

#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Compiling takes as long as all else of a start; what an earlier one compiled is used again.
enableCompileCache()
const { runCommand } = await import('./command-line.ts')
await runCommand(process.argv.slice(2))

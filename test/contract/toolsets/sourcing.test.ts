import { contractOf } from '../contract.ts'

contractOf('sourcing')

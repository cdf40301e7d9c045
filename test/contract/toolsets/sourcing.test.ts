import { describeContract } from '../contract.ts'

describeContract('sourcing')

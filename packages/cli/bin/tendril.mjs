#!/usr/bin/env node
import { main } from '../dist/supervisor.js';

process.exitCode = await main(process.argv);

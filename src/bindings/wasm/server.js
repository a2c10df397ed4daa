// What `viewcell` has, in a module for servers: with look-ahead by motion and watches, and made for speed.

import { serve } from './engine.js';

serve();

export * from './viewcell.js';
export { Watch } from './motion.js';
export { ObserverSets } from './observers.js';

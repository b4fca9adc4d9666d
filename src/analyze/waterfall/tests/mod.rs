mod fixture;
mod many;
mod pack;
mod properties;
mod reference;
mod rows;
mod storage;
mod tables;

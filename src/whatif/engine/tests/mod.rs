mod brute;
mod golden;
mod histories;
mod kept;
mod make;
mod pictures;
